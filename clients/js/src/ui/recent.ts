const KEY = "searchsocket-recent";
const KEPT = 5;
const MAX_CHARS = 200;

/** The queries that led this visitor somewhere, newest first; kept in this browser and nowhere else. */
export const recent = {
  all(): string[] {
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
      return Array.isArray(kept) ? kept.filter((one) => typeof one === "string").slice(0, KEPT) : [];
    } catch {
      return []; // not ours, or the browser keeps nothing
    }
  },
  add(q: string): void {
    const text = q.trim().slice(0, MAX_CHARS);
    if (text) keep([text, ...recent.all().filter((one) => one !== text)].slice(0, KEPT));
  },
  remove(q: string): void {
    keep(recent.all().filter((one) => one !== q));
  },
  clear(): void {
    keep([]);
  },
};

function keep(queries: readonly string[]): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(queries));
  } catch {
    // Nothing is kept then.
  }
}
