import { findPhrase, findWords } from "./find.js";
import { sentenceAround } from "./sentence.js";
import { forgetMatch, type Match, pageOf, pendingMatch } from "./pending.js";

const NAME = "searchsocket-match"; // of the highlight, for `::highlight(searchsocket-match)`
const STYLE = `::highlight(${NAME}){background-color:var(--searchsocket-match,#ffe58a);color:var(--searchsocket-match-text,#1a1a1a)}`;
const PATIENCE_MS = 5000; // with a router that still loads the page
const SETTLED_MS = 400; // until words count where the phrase was not found
let sheet: CSSStyleSheet | null = null;
let stop: (() => void) | null = null;
let marked: readonly Range[] = [];

/**
 * Scroll to the passage of a match and mark it, without a change to the page's own elements.
 *
 * @param anyWord Whether single words of the query will do, where the passage is not on the page.
 * @returns Whether it was found.
 */
export function showMatch(match: Match, anyWord = true): boolean {
  const root = document.querySelector("main") ?? document.body;
  const anchor = match.anchor ? document.getElementById(match.anchor) : null;
  // A page that was edited since may still have the beginning.
  const phrase = findPhrase(root, match.phrase, anchor) ?? findPhrase(root, /^(\S+\s+){3}\S+(?=\s)/.exec(match.phrase)?.[0] ?? "", anchor);
  const ranges = phrase ? [sentenceAround(phrase)] : anyWord ? findWords(root, match.words, anchor) : [];
  if (!ranges.length) return false;
  mark(ranges);
  const place = ranges[0]!.startContainer.parentElement!;
  for (let box = place.closest("details"); box; box = box.parentElement?.closest("details") ?? null) box.open = true;
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  place.scrollIntoView({ block: "center", behavior: isCalm ? "auto" : "smooth" });
  return true;
}

/** Take the mark away. */
export function clearMatch(): void {
  stop?.();
  marked = [];
  CSS.highlights?.delete(NAME);
}

/**
 * Show the match that the tab's last search left, as soon as its page is there: at once after a full load, and when the router of a
 * site without full loads is done; and again if a framework replaces the marked elements. Call it once on each page, and again after
 * a result was opened; the components do.
 */
export function followMatch(): void {
  const match = pendingMatch();
  if (!match) return;
  clearMatch();
  let frame = 0;
  let settled = 0;
  const attempt = (anyWord: boolean) => {
    if (pageOf(location.pathname) !== match.path || !showMatch(match, anyWord)) return;
    clearTimeout(settled);
    forgetMatch();
  };
  // Only here: a page that is left ends without a word, and the next one takes over.
  const end = () => (stop?.(), forgetMatch());
  const soon = () => {
    // The range of elements that are removed, as by a framework that takes over the page, collapses.
    if (marked.length && !marked.some((range) => range.collapsed)) return;
    cancelAnimationFrame(frame);
    clearTimeout(settled);
    // After the frame in which a router scrolls by itself.
    frame = requestAnimationFrame(() => (frame = requestAnimationFrame(() => attempt(false))));
    settled = setTimeout(attempt, SETTLED_MS, true) as unknown as number;
  };
  const observer = new MutationObserver(soon);
  const timer = setTimeout(end, PATIENCE_MS);
  stop = () => {
    stop = null;
    observer.disconnect();
    cancelAnimationFrame(frame);
    clearTimeout(settled);
    clearTimeout(timer);
  };
  observer.observe(document, { childList: true, subtree: true, characterData: true });
  soon();
}

function mark(ranges: readonly Range[]): void {
  marked = ranges;
  if (!CSS.highlights) return; // an older browser: the page is scrolled to the place all the same
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
  }
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
  CSS.highlights.set(NAME, new Highlight(...ranges));
}
