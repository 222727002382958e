import type { Words } from "../labels/words.js";
import type { AnswerVersions, Result, SearchAnswer, SearchRequest } from "../types.js";
import { h } from "./dom.js";
import type { Settings } from "./settings.js";

const DIRECTORY = "directory";
const TAG = "tag";
const LANGUAGE = "language";
const VERSION = " version"; // no facet has this name
const ALL = "all";
const LANGUAGE_TAG = /^[a-z]{2,8}([-_][a-z0-9]{1,8}){0,3}$/i; // the service refuses others
type Option = readonly [value: string, label: string];

/** The row of filter menus; their choices come from the answer without filters. */
export class Filters {
  readonly element = h("div", { part: "filters", class: "filters", role: "group", hidden: true });
  readonly #chosen = new Map<string, string>();
  #known = new Map<string, readonly Option[]>();

  constructor(
    readonly settings: () => Settings,
    readonly words: () => Words,
    readonly onChange: () => void,
  ) {
    this.element.addEventListener("change", ({ target }) => {
      const { name, value } = target as HTMLSelectElement;
      if (value) this.#chosen.set(name, value);
      else this.#chosen.delete(name);
      this.onChange();
    });
  }

  get isSet(): boolean {
    return this.#chosen.size > 0;
  }

  clear(): void {
    this.#chosen.clear();
  }

  /** The filters as part of a request. */
  request(): Partial<SearchRequest> {
    const { within, facets, version } = this.settings();
    const chosen = [...this.#chosen];
    const tag = this.#chosen.get(TAG);
    const named = chosen.filter(([name]) => name === LANGUAGE || facets.includes(name));
    const searched = this.#chosen.get(VERSION) ?? (version === "auto" ? versionPath(location.pathname) : version);
    return {
      ...(searched ? { version: searched } : {}),
      ...(LANGUAGE_TAG.test(document.documentElement.lang) ? { preferLanguage: document.documentElement.lang } : {}),
      pathPrefix: this.#chosen.get(DIRECTORY) ?? within,
      ...(tag ? { tags: [tag] } : {}),
      ...(named.length ? { filters: Object.fromEntries(named) } : {}),
      ...(facets.length ? { facets } : {}),
    };
  }

  /** Offer the choices of an answer. */
  update(answer: SearchAnswer): void {
    if (!this.isSet || !this.#known.size) this.#known = this.#optionsOf(answer);
    const { labels } = this.words();
    this.element.setAttribute("aria-label", labels.filters);
    const names: Record<string, string> = { [DIRECTORY]: labels.directory, [TAG]: labels.tag, [LANGUAGE]: labels.language, [VERSION]: labels.version };
    const shown = [...this.#known].filter(([name, options]) => options.length > 1 || this.#chosen.has(name));
    const menus = shown.map(([name, options]) => this.#menu(name, names[name] ?? name, options));
    const versions = answer.versions;
    if (versions && versions.available.length > 1) menus.unshift(this.#versionMenu(versions, labels.version));
    // An open or focused menu keeps its element.
    const focused = (this.element.getRootNode() as ShadowRoot).activeElement;
    const at = menus.findIndex((menu) => menu.name === (focused as HTMLSelectElement | null)?.name);
    this.element.hidden = !menus.length;
    this.element.replaceChildren(...menus);
    if (focused instanceof HTMLSelectElement && at >= 0) menus[at]!.focus();
  }

  #menu(name: string, label: string, options: readonly Option[]): HTMLSelectElement {
    const chosen = this.#chosen.get(name) ?? "";
    const all = this.words().filled(this.words().labels.any, { name: label });
    const missing: Option[] = chosen && !options.some(([value]) => value === chosen) ? [[chosen, chosen]] : [];
    const menu = h(
      "select",
      { name, part: chosen ? "filter filter-set" : "filter", class: chosen ? "filter set" : "filter", "aria-label": label },
      ...([["", all], ...missing, ...options] as const).map(([value, text]) => h("option", { value, selected: value === chosen }, text)),
    );
    return menu;
  }

  /** Without a selection it shows the searched version. */
  #versionMenu({ searched, available }: AnswerVersions, label: string): HTMLSelectElement {
    const chosen = this.#chosen.get(VERSION) ?? (searched.length ? searched[0]! : ALL);
    const all: Option = [ALL, this.words().filled(this.words().labels.any, { name: label })];
    const options: readonly Option[] = [...available.map(({ name, title }): Option => [name, `${label}: ${title}`]), all];
    return h(
      "select",
      { name: VERSION, part: "filter version", class: this.#chosen.has(VERSION) ? "filter set" : "filter", "aria-label": label },
      ...options.map(([value, text]) => h("option", { value, selected: value === chosen }, text)),
    );
  }

  #optionsOf({ results, facets }: SearchAnswer): Map<string, readonly Option[]> {
    const { directories, within, facets: names } = this.settings();
    const same = (values: Iterable<string>): Option[] => [...new Set(values)].filter(Boolean).sort().map((one) => [one, one]);
    const languages = same(results.flatMap((result) => result.languages ?? result.language)).map(([code]) => [code, this.words().nameOf(code)] as const);
    return new Map<string, readonly Option[]>([
      [DIRECTORY, directories.length ? directories.map(([name, path]) => [path, name] as const) : directoriesOf(results, within)],
      [TAG, same(results.flatMap((result) => result.tags))],
      [LANGUAGE, languages],
      ...names.map((name): [string, Option[]] => [
        name,
        Object.entries(facets?.[name] ?? {}).map(([value, pages]) => [value, `${value} (${pages})`]),
      ]),
    ]);
  }
}

const NUMBERED = /^(v|version-|release-)?\d+(\.\d+)*(\.x)?([-.]?(a|b|c|rc|alpha|beta|dev|pre|preview|snapshot)[-.]?\d*)?$/i;
const NAMED = /^(stable|latest|current|next|dev|devel|develop|main|master|nightly|edge|canary|unstable|preview|lts)$/i;

/** The path up to a folder that looks like a version; "" if there is none. The service verifies it. */
export function versionPath(path: string): string {
  const segments = path.split("/").slice(0, -1);
  const at = segments.findIndex((segment) => NUMBERED.test(segment) || NAMED.test(segment));
  return at < 0 ? "" : segments.slice(0, at + 1).join("/");
}

/** The directories that separate results: those below their last common directory. */
export function directoriesOf(results: readonly Pick<Result, "url">[], within: string): Option[] {
  let prefix = within.replace(/\/+$/, "");
  for (;;) {
    const below = new Set<string>();
    for (const { url } of results) {
      const rest = url.startsWith(`${prefix}/`) ? url.slice(prefix.length + 1).split("/") : [];
      if (rest[0] && rest.length > 1) below.add(`${prefix}/${rest[0]}`);
    }
    if (below.size !== 1) return [...below].sort().map((path) => [path, readable(path.split("/").pop()!)]);
    prefix = [...below][0]!;
  }
}

/** Words of a path segment: `getting-started` becomes "Getting started". */
export function readable(segment: string): string {
  let text = segment;
  try {
    text = decodeURIComponent(segment);
  } catch {
    // as it is
  }
  const words = text.replace(/\.html?$/, "").replace(/[-_]+/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
