import { fold, wordsOf } from "../text.js";
import type { Result } from "../types.js";

/** Frequency of a word in results, and its spelling on the site: "Kubernetes", "takeLatest", but "rollback". */
export class Spelling {
  count = 0;
  readonly #within = new Map<string, number>();
  #first = "";

  add(form: string, isFirst: boolean): void {
    this.count++;
    this.#first ||= form;
    if (!isFirst) this.#within.set(form, (this.#within.get(form) ?? 0) + 1);
  }

  /** The most frequent spelling within sentences; first words are capitalised anyway. "" if it occurs only there. */
  get within(): string {
    return [...this.#within].reduce((best, other) => (other[1] > best[1] ? other : best), ["", 0])[0];
  }

  get form(): string {
    return this.within || this.#first;
  }
}

/** The words of results by their folded form. */
export function spellingsOf(results: readonly Pick<Result, "title" | "sectionTitle" | "snippet">[]): Map<string, Spelling> {
  const words = new Map<string, Spelling>();
  for (const { title, sectionTitle, snippet } of results) {
    // Text before titles, since every word of a title may be capitalised.
    for (const sentence of [...snippet.split(/[.!?:]\s|\n/), title, sectionTitle]) {
      for (const [at, form] of wordsOf(sentence).entries()) {
        const key = fold(form);
        const word = words.get(key) ?? new Spelling();
        words.set(key, word);
        word.add(form, at === 0);
      }
    }
  }
  return words;
}
