import type { SearchAnswer } from "./types.js";

interface Entry {
  answer: SearchAnswer;
  /** Milliseconds of the clock. */
  until: number;
}

/** The newest answers by request: at most `size`, none older than `maxAgeMs`, all of one generation per scope. */
export class AnswerCache {
  readonly #entries = new Map<string, Entry>();
  readonly #generations = new Map<string, string>();

  constructor(
    readonly size: number,
    readonly maxAgeMs: number,
    readonly now: () => number = Date.now,
  ) {}

  get(key: string): SearchAnswer | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    if (entry.until <= this.now()) return undefined;
    this.#entries.set(key, entry); // the newest entry is removed last
    return entry.answer;
  }

  set(key: string, answer: SearchAnswer): void {
    const { scope, meta } = answer;
    if (this.#generations.get(scope) !== meta.generation) {
      // The site was published again: cached answers of the scope may link to deleted pages.
      for (const [old, entry] of this.#entries) if (entry.answer.scope === scope) this.#entries.delete(old);
      this.#generations.set(scope, meta.generation);
    }
    this.#entries.delete(key);
    this.#entries.set(key, { answer, until: this.now() + this.maxAgeMs });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.size) break;
      this.#entries.delete(oldest);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#generations.clear();
  }

  get length(): number {
    return this.#entries.size;
  }
}
