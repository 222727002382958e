/** A style sheet of our elements; constructed, so that a strict content security policy allows it. */
export declare function sheetOf(css: string): CSSStyleSheet;
