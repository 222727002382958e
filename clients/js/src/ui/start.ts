import type { Words } from "../labels/words.js";
import { h, icon, ICONS } from "./dom.js";
import { type OpenedPage, pages, recent } from "./recent.js";
import type { Settings } from "./settings.js";

/** What happens around the list that is there before anything is asked. */
interface Host {
  settings: () => Settings;
  words: () => Words;
  search: (q: string) => void;
  /** A page is opened. */
  close: () => void;
  /** The list is another now; the option that has this key shall be active, else the one that follows. */
  changed: (key: string) => void;
}

interface Entry {
  /** A query, or the address of a page. */
  key: string;
  page?: OpenedPage;
  isKept: boolean;
}

/** What there is before anything is asked: pinned pages, recent searches and pages, and what the site suggests. */
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
    // A first visitor of a site that suggests nothing.
    return groups.length ? groups : group(labels.suggested, mainPages().map((one) => this.#option({ key: one.href, page: one, isKept: false })));
  }

  /** Whether there is something that can be cleared. */
  get isKept(): boolean {
    return this.host.settings().keepsRecent && (recent.all().length > 0 || pages.all().some(({ isPinned }) => !isPinned));
  }

  clear(): void {
    recent.clear();
    pages.clear();
  }

  /** Whether a key was for the option that is active. */
  key({ key, code, altKey, ctrlKey, metaKey }: KeyboardEvent, option: Element | undefined): boolean {
    const entry = option && this.#entries.get(option);
    if (!entry?.isKept || ctrlKey || metaKey) return false;
    if (key === "Delete" && !altKey) this.#remove(entry);
    else if (code === "KeyP" && altKey && entry.page) this.#pin(entry); // by its place: with Alt, it writes other letters
    else return false;
    return true;
  }

  /** Whether a click was on one of these options. */
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
    // What a pointer presses here, keys do by the shortcuts: an option holds nothing that could have the focus.
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
const MAX_TITLE = 60; // characters: more is no name

/** Pages of the site's own navigation; neither links within this page nor those to its other languages. */
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

/** Without the page above all others: the link of the logo, and "Home". */
function withoutHome(found: OpenedPage[]): OpenedPage[] {
  const [home] = found.map(({ href }) => href.replace(/[^/]*$/, "")).sort((a, b) => a.length - b.length);
  const isAbove = found.length > 1 && found.every(({ href }) => href.startsWith(home!));
  return isAbove ? found.filter(({ href }) => href.replace("index.html", "") !== home) : found;
}

function group(label: string, options: readonly HTMLElement[]): HTMLElement[] {
  if (!options.length) return [];
  // Read with the group's name; the line itself is for the eye.
  const heading = h("div", { part: "heading", class: "heading", role: "presentation", "aria-hidden": "true" }, label);
  return [h("div", { role: "group", class: "page", "aria-label": label }, heading, ...options)];
}
