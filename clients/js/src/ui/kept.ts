/** A list in this browser's local storage; empty without storage. */
export class Kept<T> {
  /** @param read Parses an entry; null if it is not ours. */
  constructor(
    readonly key: string,
    readonly read: (kept: unknown) => T | null,
  ) {}

  all(): T[] {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(this.key) ?? "[]");
      return Array.isArray(kept) ? kept.map(this.read).filter((one) => one !== null) : [];
    } catch {
      return []; // not ours, or no storage
    }
  }

  set(entries: readonly T[]): void {
    try {
      localStorage.setItem(this.key, JSON.stringify(entries));
    } catch {
      // No storage.
    }
  }
}
