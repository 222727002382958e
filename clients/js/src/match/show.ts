import { findPhrase, findWords } from "./find.js";
import { sentenceAround } from "./sentence.js";
import { forgetMatch, type Match, pageOf, pendingMatch } from "./pending.js";

const NAME = "searchsocket-match"; // name of the highlight, for `::highlight(searchsocket-match)`
const STYLE = `::highlight(${NAME}){background-color:var(--searchsocket-match,#ffe58a);color:var(--searchsocket-match-text,#1a1a1a)}`;
const PATIENCE_MS = 5000; // timeout for a router that still loads the page
const SETTLED_MS = 400; // wait before single words replace a missing phrase
let sheet: CSSStyleSheet | null = null;
let stop: (() => void) | null = null;
let marked: readonly Range[] = [];

/**
 * Scroll to the passage of a match and mark it, without changing the page's elements.
 *
 * @param anyWord True: mark single words of the query if the passage is missing.
 * @returns True if the passage or a word was found.
 */
export function showMatch(match: Match, anyWord = true): boolean {
  const root = document.querySelector("main") ?? document.body;
  const anchor = match.anchor ? document.getElementById(match.anchor) : null;
  // An edited page may still contain the beginning.
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

/** Remove the mark. */
export function clearMatch(): void {
  stop?.();
  marked = [];
  CSS.highlights?.delete(NAME);
}

/**
 * Show the match of the tab's last search once its page is shown: at once after a full load, and when the router of a
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
  // Only removed here: an unloaded page cannot do it, and the next page needs the match.
  const end = () => (stop?.(), forgetMatch());
  const soon = () => {
    // A framework that hydrates the page replaces elements; the range then collapses.
    if (marked.length && !marked.some((range) => range.collapsed)) return;
    cancelAnimationFrame(frame);
    clearTimeout(settled);
    // Wait for the frame in which a router scrolls.
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
  if (!CSS.highlights) return; // an older browser: only scroll
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
  }
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
  CSS.highlights.set(NAME, new Highlight(...ranges));
}
