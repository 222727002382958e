import type { Words } from "../labels/words.js";
import { h, icon, ICONS } from "./dom.js";
import { type OpenedPage, pages, recent } from "./recent.js";
import type { Settings } from "./settings.js";

/** Callbacks of the start list. */
interface Host {
  settings: () => Settings;
  words: () => Words;
  search: (q: string) => void;
  /** A page was opened. */
  close: () => void;
  /** The list changed; select the option with this key, else the next one. */
  changed: (key: string) => void;
}

interface Entry {
  /** A query, or the address of a page. */
  key: string;
  page?: OpenedPage;
  isKept: boolean;
}

/** The list before the first query: pinned pages, recent searches and pages, and suggestions of the site. */
export class Start {
  readonly #entries = new WeakMap<Element, Entry>();

  constructor(readonly host: Host) {}

  groups(): HTMLElement[] {
    const { labels } = this.host.words();
    const { suggestions, keepsRecent } = this.host.settings();
    const [queries, opened] = keepsRecent ? [recent.all(), pages.all()] : [[], []];
    const page = (one: OpenedPage) => this.#option({ key: one.href, page: one, isKept: true });
    const query = (key: string, isKept: boolean) => this.#option({ key, isKept });
    const pinned = opened.filter(({ isPinned }) => isPinned);
    const groups = [
      group(labels.pinned, pinned.map(page)),
      group(labels.recent, queries.map((q) => query(q, true))),
      group(labels.pages, opened.filter((one) => !pinned.includes(one)).map(page)),
      group(labels.suggested, suggestions.filter((q) => !queries.includes(q)).map((q) => query(q, false))),
    ].flat();
    // First visit to a site without suggestions.
    return groups.length ? groups : group(labels.suggested, mainPages().map((one) => this.#option({ key: one.href, page: one, isKept: false })));
  }

  /** True if the list has entries to clear. */
  get isKept(): boolean {
    return this.host.settings().keepsRecent && (recent.all().length > 0 || pages.all().some(({ isPinned }) => !isPinned));
  }

  clear(): void {
    recent.clear();
    pages.clear();
  }

  /** Handle a key; true if it was for the active option. */
  key({ key, code, altKey, ctrlKey, metaKey }: KeyboardEvent, option: Element | undefined): boolean {
    const entry = option && this.#entries.get(option);
    if (!entry?.isKept || ctrlKey || metaKey) return false;
    if (key === "Delete" && !altKey) this.#remove(entry);
    else if (code === "KeyP" && altKey && entry.page) this.#pin(entry); // by position: with Alt, the key has another letter
    else return false;
    return true;
  }

  /** Handle a click; true if it was on one of these options. */
  clicked(event: MouseEvent, option: Element): boolean {
    const entry = this.#entries.get(option);
    const target = event.target as Element;
    if (!entry) return false;
    if (target.closest("[data-remove]")) event.preventDefault(), this.#remove(entry);
    else if (target.closest("[data-pin]")) event.preventDefault(), this.#pin(entry);
    else if (!entry.page) this.host.search(entry.key);
    else entry.isKept && pages.add(entry.page), event.ctrlKey || event.metaKey || event.shiftKey || this.host.close();
    return true;
  }

  #remove({ key, page }: Entry): void {
    if (page) pages.remove(key);
    else recent.remove(key);
    this.host.changed("");
  }

  #pin({ key }: Entry): void {
    pages.pin(key);
    this.host.changed(key);
  }

  #option(entry: Entry): HTMLElement {
    const { key, page, isKept } = entry;
    const { labels } = this.host.words();
    // For pointers only; keys use shortcuts, since an option cannot contain focusable elements.
    const tool = (kind: "pin" | "remove", title: string, path: string) =>
      h("span", { class: `tool ${kind}`, [`data-${kind}`]: true, title, "aria-hidden": "true" }, icon(path));
    const title = h("span", { part: "title", class: "title", dir: "auto" }, page?.title ?? key);
    if (page?.section) title.append(h("span", { class: "in" }, ` › ${page.section}`));
    const shortcuts = isKept && (page ? "Alt+P Delete" : "Delete");
    const shared = { role: "option", part: "recent", class: page?.isPinned ? "recent pinned" : "recent", "data-key": key, "aria-keyshortcuts": shortcuts };
    const made = page ? h("a", { ...shared, href: page.href, tabindex: -1 }) : h("div", shared);
    made.append(icon(page ? ICONS.page : isKept ? ICONS.clock : ICONS.search), title);
    if (page && isKept) made.append(tool("pin", page.isPinned ? labels.unpin : labels.pin, ICONS.star));
    if (isKept) made.append(tool("remove", labels.remove, ICONS.cross));
    this.#entries.set(made, entry);
    return made;
  }
}

const MAIN_PAGES = 5;
const MAX_TITLE = 60; // longer texts are no titles

/** Pages of the site's navigation, without links within this page or to its translations. */
function mainPages(): OpenedPage[] {
  const found = new Map<string, OpenedPage>();
  for (const { href, origin, pathname, textContent, hash } of document.querySelectorAll<HTMLAnchorElement>("nav a[href]:not([hreflang],[lang])")) {
    const title = textContent.trim().replace(/\s+/g, " ");
    if (origin !== location.origin || hash || pathname === location.pathname || !title || title.length > MAX_TITLE) continue;
    const isNew = !found.has(title) && ![...found.values()].some((page) => page.href === href);
    if (isNew && found.size <= MAIN_PAGES) found.set(title, { href, title, section: "", isPinned: false });
  }
  return withoutHome([...found.values()]).slice(0, MAIN_PAGES);
}

/** Remove the home page: the logo's link, and "Home". */
function withoutHome(found: OpenedPage[]): OpenedPage[] {
  const [home] = found.map(({ href }) => href.replace(/[^/]*$/, "")).sort((a, b) => a.length - b.length);
  const isAbove = found.length > 1 && found.every(({ href }) => href.startsWith(home!));
  return isAbove ? found.filter(({ href }) => href.replace("index.html", "") !== home) : found;
}

function group(label: string, options: readonly HTMLElement[]): HTMLElement[] {
  if (!options.length) return [];
  // Read with the group's name; the line is visual only.
  const heading = h("div", { part: "heading", class: "heading", role: "presentation", "aria-hidden": "true" }, label);
  return [h("div", { role: "group", class: "page", "aria-label": label }, heading, ...options)];
}
