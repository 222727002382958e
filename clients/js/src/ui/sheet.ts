/** A style sheet of our elements; constructed, so that a strict content security policy allows it. */
export function sheetOf(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  // Sizes use a variable, since `1rem` of a site may be 10 or 20 pixels; its own default is in capitals.
  sheet.replaceSync(css.replace(/([\d.]*\d)rem/g, "calc($1 * var(--rem))"));
  return sheet;
}
