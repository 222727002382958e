import { sentencesOf } from "../text.js";

const BLOCK = "p,li,td,th,dd,dt,pre,h1,h2,h3,h4,h5,h6,blockquote,figcaption,summary,caption,div,section,article,main,body";
const MAX_CHARS = 800; // longer blocks are not split into sentences

/** Extend a passage to whole sentences within its block. */
export function sentenceAround(passage: Range): Range {
  const block = passage.startContainer.parentElement?.closest(BLOCK);
  if (!block?.contains(passage.endContainer)) return passage;
  const before = document.createRange();
  before.selectNodeContents(block);
  before.setEnd(passage.startContainer, passage.startOffset);
  const first = before.toString().length;
  const last = first + passage.toString().length;
  const text = block.textContent;
  const touched = sentencesOf(block.matches("pre") ? text : text.replace(/\s/g, " ")).filter(([start, end]) => start < last && end > first);
  if (!touched.length) return passage;
  const [start, end] = [touched[0]![0], touched.at(-1)![1]];
  if (end - start > MAX_CHARS) return passage;
  const range = document.createRange();
  let at = 0;
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode() as Text | null; node && at < end; node = walker.nextNode() as Text | null) {
    const next = at + node.data.length;
    if (start >= at && start < next) range.setStart(node, start - at);
    if (end > at && end <= next) range.setEnd(node, end - at);
    at = next;
  }
  return range;
}
