import { fold } from "../text.js";

const MAX_CHARS = 2_000_000; // longer pages are data, not text
const SECTION_CHARS = 2_000; // range after an anchor that is searched for single words
const MAX_WORD_MARKS = 20;
const UNREAD = "script,style,noscript,template,textarea,select,[hidden],[aria-hidden=true]";

/** A page's text for comparison, folded and with single spaces, and the position of each letter in the page. */
class PageText {
  text = "";
  readonly #nodes: Text[] = [];
  readonly #starts: number[] = []; // in `text`, of each node
  readonly #offsets: number[][] = []; // in its node, of each letter of `text`

  constructor(root: Node) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const parts: string[] = [];
    let length = 0;
    let isSpace = true;
    for (let node = walker.nextNode() as Text | null; node && length < MAX_CHARS; node = walker.nextNode() as Text | null) {
      if (node.parentElement?.closest(UNREAD)) continue;
      const offsets: number[] = [];
      let letters = "";
      for (let at = 0; at < node.data.length; at++) {
        const folded = /\s/.test(node.data[at]!) ? " " : fold(node.data[at]!);
        if (folded === " " && isSpace) continue;
        isSpace = folded === " ";
        for (const letter of folded) (letters += letter), offsets.push(at);
      }
      if (!letters) continue;
      this.#nodes.push(node);
      this.#starts.push(length);
      this.#offsets.push(offsets);
      parts.push(letters);
      length += letters.length;
    }
    this.text = parts.join("");
  }

  /** Offset of the text after an element's start. */
  from(element: Element | null): number {
    if (!element) return 0;
    const at = this.#nodes.findIndex((node) => {
      const order = element.compareDocumentPosition(node);
      return order & (Node.DOCUMENT_POSITION_FOLLOWING | Node.DOCUMENT_POSITION_CONTAINED_BY);
    });
    return this.#starts[at] ?? 0;
  }

  range(start: number, end: number): Range {
    const range = document.createRange();
    const [first, last] = [this.#at(start), this.#at(end - 1)];
    range.setStart(this.#nodes[first]!, this.#offsets[first]![start - this.#starts[first]!]!);
    range.setEnd(this.#nodes[last]!, this.#offsets[last]![end - 1 - this.#starts[last]!]! + 1);
    return range;
  }

  #at(letter: number): number {
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= letter) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Find a phrase: after the anchor first, then anywhere. */
export function findPhrase(root: Node, phrase: string, anchor: Element | null): Range | null {
  const wanted = fold(phrase).replace(/\s+/g, " ").trim();
  if (!wanted) return null;
  const page = new PageText(root);
  let at = page.text.indexOf(wanted, page.from(anchor));
  if (at < 0) at = page.text.indexOf(wanted);
  return at < 0 ? null : page.range(at, at + wanted.length);
}

/** Find words of a query in the section after an anchor, or on the whole page without one. */
export function findWords(root: Node, words: readonly string[], anchor: Element | null): Range[] {
  const wanted = words.map(fold).filter((word) => word.length > 2);
  if (!wanted.length) return [];
  const page = new PageText(root);
  const start = page.from(anchor);
  const section = anchor ? page.text.slice(start, start + SECTION_CHARS) : page.text;
  const word = new RegExp(`(?<![\\p{L}\\p{N}])(?:${wanted.join("|")})[\\p{L}\\p{N}]*`, "gu");
  const found = [...section.matchAll(word)].slice(0, MAX_WORD_MARKS);
  return found.map((match) => page.range(start + match.index, start + match.index + match[0].length));
}
