import { fold } from "../text.js";
import type { SearchAnswer } from "../types.js";
import { spellingsOf } from "./spelling.js";

const MIN_CHARS = 4; // shorter words are similar to too many others
const TWO_SLIPS_FROM = 7;
const LOOKED_AT = 5; // top results: lower ones rarely match these words

/**
 * Correct typos of the query with words of its results, in the site's spelling; ""
 * if nothing looks like a typo.
 *
 * A prefix or extension of a result's word is no typo.
 */
export function didYouMean(q: string, answer: SearchAnswer): string {
  const words = spellingsOf(answer.results.slice(0, LOOKED_AT));
  const held = [...words.keys()];
  const meant = q.replace(/[\p{L}\p{M}]+/gu, (word) => {
    const folded = fold(word);
    if (folded.length < MIN_CHARS || held.some((other) => isForm(folded, other))) return word;
    const limit = folded.length >= TWO_SLIPS_FROM ? 2 : 1;
    const near = held.filter((other) => other.length >= MIN_CHARS && slips(folded, other, limit) <= limit);
    near.sort((a, b) => slips(folded, a, limit) - slips(folded, b, limit) || words.get(b)!.count - words.get(a)!.count);
    return words.get(near[0] ?? "")?.form ?? word;
  });
  return meant === q ? "" : meant;
}

/** Return true if two words differ only by an ending. */
function isForm(word: string, other: string): boolean {
  let same = 0;
  while (same < word.length && word[same] === other[same]) same++;
  const tails = [word.slice(same), other.slice(same)] as const;
  const isSwapped = tails[0].length > 1 && [...tails[0]].sort().join() === [...tails[1]].sort().join();
  return same >= MIN_CHARS - 1 && (!tails[0] || !tails[1] || (same >= word.length - 2 && !isSwapped));
}

/** Edit distance (optimal string alignment); above `limit`, any number above it. */
function slips(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1);
      row.push(least);
    }
    [before, last] = [last, row];
  }
  return last[b.length]!;
}
