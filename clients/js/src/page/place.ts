import { isSeen } from "./trigger.js";

const BARS = "header, [role=banner], nav, [role=navigation], #header, .header, .navbar";
const CONTENT = "main, article, [role=main], dialog";
const BOXES = ["DIV", "HEADER", "NAV", "SECTION"]; // elements that may contain those of the bar
const MAX_HEIGHT = 240;
const GAP = "0.5rem";

/** Show the dialog's button in the page's header, else above its text, without covering anything. */
export function put(dialog: HTMLElement): void {
  const bar = [...document.querySelectorAll(BARS)].find(isBar);
  const main = document.querySelector("main, [role=main]");
  const height = bar?.getBoundingClientRect().height ?? 0;
  const row = bar && rowOf(bar);
  const isHigher = () => bar!.getBoundingClientRect().height > height + 8;
  dialog.style.margin = GAP;
  row?.append(dialog);
  // The bar stays as it is if an icon alone fits; otherwise it grows.
  for (const grows of row ? [false, true] : []) {
    for (const isSmall of [false, true]) {
      dialog.toggleAttribute("compact", isSmall);
      if (isFree(dialog, bar!) && (grows || !isHigher())) return;
    }
  }
  dialog.removeAttribute("compact");
  const strip = document.createElement("div");
  strip.role = "search";
  strip.append(dialog);
  for (const home of [document.body, main ?? document.body]) {
    home.prepend(strip);
    for (const side of ["flex-end", "flex-start"]) {
      strip.style.cssText = `display: flex; justify-content: ${side}; grid-column: 1 / -1`;
      if (!isCovered(dialog)) return;
    }
  }
}

/** Return true if an element of the page covers the button. */
function isCovered(dialog: HTMLElement): boolean {
  const { left, top, width, height } = dialog.getBoundingClientRect();
  const points = [[0.2, 0.1], [0.8, 0.1], [0.5, 0.5], [0.2, 0.9], [0.8, 0.9]] as const; // prettier-ignore
  return points.map(([x, y]) => document.elementFromPoint(left + x * width, top + y * height)).some((element) => element && element !== dialog);
}

/** Return true if an element is a wide bar at the top without text. */
function isBar(element: Element): boolean {
  const { top, width, height } = element.getBoundingClientRect();
  return !element.closest(CONTENT) && isSeen(element) && top + scrollY < 120 && width >= Math.min(innerWidth * 0.6, 480) && height <= MAX_HEIGHT && !element.querySelector("h2, h3");
}

/** Return the innermost element that contains the whole bar. */
function rowOf(bar: Element): Element {
  const inner = [...bar.children].filter(isSeen);
  const [only] = inner;
  const hasText = [...bar.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent!.trim());
  return only && inner.length === 1 && !hasText && BOXES.includes(only.tagName) ? rowOf(only) : bar;
}

/** Return true if the button is inside the bar and covers nothing. */
function isFree(dialog: HTMLElement, bar: Element): boolean {
  const own = dialog.getBoundingClientRect();
  const outer = bar.getBoundingClientRect();
  const isInside = own.left >= outer.left - 1 && own.right <= Math.min(outer.right, innerWidth) + 1 && own.top >= outer.top - 1 && own.bottom <= outer.bottom + 1;
  if (!isInside) return false;
  const texts = [...bar.querySelectorAll("*")].filter((element) => !element.contains(dialog) && !dialog.contains(element) && !element.childElementCount && isSeen(element));
  return texts.every((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return right <= own.left || left >= own.right || bottom <= own.top || top >= own.bottom;
  });
}
