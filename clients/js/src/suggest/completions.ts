import { fold, wordsOf } from "../text.js";
import type { SearchAnswer } from "../types.js";
import { spellingsOf } from "./spelling.js";

const MIN_CHARS = 2;

/**
 * Complete a query: with titles that begin with it, else with words of titles that begin with its
 * last word, if that is not a word yet.
 *
 * @returns At most `limit`, without the query itself.
 */
export function completions(q: string, answer: SearchAnswer, limit = 3): string[] {
  const started = fold(q).replace(/^\s+/, "").replace(/\s+/g, " ");
  const last = /[\p{L}\p{N}\p{M}]+$/u.exec(q)?.[0] ?? "";
  if (fold(last).length < MIN_CHARS) return [];
  const titles = answer.results.flatMap(({ title, sectionTitle, sections }) => [title, sectionTitle, ...sections.map((one) => one.title)]);
  const words = spellingsOf(answer.results);
  const isWord = words.has(fold(last)) || titles.some((text) => wordsOf(text).some((word) => fold(word) === fold(last)));
  const whole = titles.filter((title) => fold(title).startsWith(started));
  const ended = (isWord ? [] : titles).flatMap((title) =>
    wordsOf(title)
      .filter((word) => fold(word).startsWith(fold(last)))
      .map((word) => q.slice(0, q.length - last.length) + (words.get(fold(word))?.within || (last === last.toLowerCase() ? word.toLowerCase() : word))),
  );
  const found = new Map<string, string>();
  for (const text of [...whole, ...ended]) {
    const key = fold(text);
    if (key !== started && !found.has(key)) found.set(key, text);
  }
  return [...found.values()].slice(0, limit);
}
