const CONTROLS = "button, input, label, a, [role=button]";
const CONTENT = "main, article, [role=main], dialog, searchsocket-dialog";
const NAME = /(?<![a-z])search|Search/; // not `research`
const NAMES = ["id", "class", "name", "aria-label", "title", "placeholder", "for", "action", "data-bs-target", "data-target"];
const SEARCH_PAGES = ["search", "search/", "search.html"].map((name) => new URL(`../${name}`, import.meta.url).href);
const LINK_NAMES = ["id", "class", "data-bs-target", "data-target"];

/** Return the theme's search field or button of an event. */
export function triggerOf({ target }: Event): Element | null {
  const control = target instanceof Element ? target.closest(CONTROLS) : null;
  return control && isTrigger(control) ? control : null;
}

/** Return true if a search field or button of the theme is visible. */
export function hasTrigger(): boolean {
  return [...document.querySelectorAll(CONTROLS)].some((control) => isTrigger(control) && isSeen(control));
}

export function isSeen(element: Element): boolean {
  const { left, right, width, height } = element.getBoundingClientRect();
  return width > 1 && height > 1 && right > 0 && left < innerWidth && getComputedStyle(element).visibility === "visible";
}

function isTrigger(control: Element): boolean {
  if (control.closest(CONTENT)) return false;
  const isNamed = (element: Element | null, names = NAMES) => names.some((name) => NAME.test(element?.getAttribute(name) ?? ""));
  // A link's title describes its target: `/docs/search` is an ordinary page.
  if (control instanceof HTMLAnchorElement) return isNamed(control, LINK_NAMES) || SEARCH_PAGES.includes(control.href);
  if (control instanceof HTMLInputElement && !["search", "text", "submit", "button"].includes(control.type)) return false;
  return control.matches("[type=search], [role=search] *, search *") || isNamed(control) || isNamed(control.closest("form"));
}
