/** A list that this browser keeps for this visitor, and nobody else sees; where it keeps nothing, the list is empty. */
export class Kept<T> {
  /** @param read One entry, or null where it is not ours. */
  constructor(
    readonly key: string,
    readonly read: (kept: unknown) => T | null,
  ) {}

  all(): T[] {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(this.key) ?? "[]");
      return Array.isArray(kept) ? kept.map(this.read).filter((one) => one !== null) : [];
    } catch {
      return []; // not ours, or the browser keeps nothing
    }
  }

  set(entries: readonly T[]): void {
    try {
      localStorage.setItem(this.key, JSON.stringify(entries));
    } catch {
      // Nothing is kept then.
    }
  }
}
