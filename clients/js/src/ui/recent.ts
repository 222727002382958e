import { Kept } from "./kept.js";

const QUERIES = 5;
const PAGES = 5; // without pinned pages
const PINNED = 12;
const MAX_CHARS = 200;

const queries = new Kept("searchsocket-recent", (one) => (typeof one === "string" ? one : null));

/** Queries with an opened result, newest first. */
export const recent = {
  all: () => queries.all().slice(0, QUERIES),
  add(q: string): void {
    const text = q.trim().slice(0, MAX_CHARS);
    if (text) queries.set([text, ...recent.all().filter((one) => one !== text)].slice(0, QUERIES));
  },
  remove: (q: string) => queries.set(recent.all().filter((one) => one !== q)),
  clear: () => queries.set([]),
};

export interface OpenedPage {
  href: string;
  title: string;
  /** "" if the page was opened at its top. */
  section: string;
  isPinned: boolean;
}

const opened = new Kept("searchsocket-pages", (one): OpenedPage | null => {
  const { href, title, section, isPinned } = (one ?? {}) as Record<keyof OpenedPage, unknown>;
  if (typeof href !== "string" || typeof title !== "string" || !/^https?:$/.test(new URL(href, location.href).protocol)) return null;
  return { href, title, section: String(section ?? ""), isPinned: isPinned === true };
});

/** Pages opened from the search: all pinned ones, and the newest others. */
export const pages = {
  all: () => opened.all(),
  add({ href, title, section }: Omit<OpenedPage, "isPinned">): void {
    const isPinned = pages.all().some((one) => one.href === href && one.isPinned);
    keep([{ href, title: title.slice(0, MAX_CHARS), section: section.slice(0, MAX_CHARS), isPinned }, ...pages.all().filter((one) => one.href !== href)]);
  },
  pin: (href: string) => keep(pages.all().map((one) => (one.href === href ? { ...one, isPinned: !one.isPinned } : one))),
  remove: (href: string) => keep(pages.all().filter((one) => one.href !== href)),
  /** Pinned pages stay. */
  clear: () => keep(pages.all().filter(({ isPinned }) => isPinned)),
};

function keep(entries: readonly OpenedPage[]): void {
  const part = (isPinned: boolean, limit: number) => entries.filter((one) => one.isPinned === isPinned).slice(0, limit);
  opened.set([...part(true, PINNED), ...part(false, PAGES)]);
}
