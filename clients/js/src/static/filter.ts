// Which pages a request asks for, and what it calls them: directories, tags, languages, facets and versions.
import type { AnswerVersions, SearchRequest } from "../types.js";
import { SearchError } from "../errors.js";
import type { Family } from "./files.js";
import type { Index } from "./index.js";

const VERSION = "@version=";
const ORIGINAL = "@original=";
const ALL = "all";

/** The versions of one request. */
export interface Versions {
  /** A page must have one of these labels; empty: all versions. */
  labels: readonly string[];
  /** By label the folder in which links open. */
  folders: ReadonlyMap<string, string>;
  answer?: AnswerVersions;
}

export function pageFilter(index: Index, request: SearchRequest, versions: Versions): (page: number) => boolean {
  const { pages } = index.head;
  const prefix = (request.pathPrefix ?? "").replace(/(?<=.)\/+$/, "");
  const groups = Object.entries(request.filters ?? {})
    .filter(([name]) => name !== "kind")
    .map(([name, values]) => ({ name, ...valuesOf([values].flat().map(String)) }));
  return (page) => {
    const url = pages.url[page]!;
    const facets = pages.facets[page] ?? [];
    const language = index.languages[page]!.toLowerCase();
    const states = (name: string, value: string) => {
      const wanted = value.toLowerCase().replaceAll("_", "-");
      return name === "language" ? language === wanted || language.startsWith(`${wanted}-`) : facets.includes(`${name}=${value}`);
    };
    return (
      (!prefix || prefix === "/" || url === prefix || url.startsWith(`${prefix}/`)) &&
      (request.tags ?? []).every((tag) => pages.tags[page]?.includes(tag)) &&
      groups.every(({ name, exact, compared }) => exact.some((value) => states(name, value)) || (compared.length > 0 && numbersOf(facets, name).some((stated) => compared.every((holds) => holds(stated))))) &&
      (!versions.labels.length || versions.labels.some((label) => (label === VERSION ? !facets.some((one) => one.startsWith(VERSION)) || facets.includes(VERSION) : facets.includes(label))))
    );
  };
}

type Holds = (stated: number) => boolean;

/** Values to find as they are, and comparisons of numbers: `<=5`. */
function valuesOf(values: readonly string[]): { exact: string[]; compared: Holds[] } {
  const exact: string[] = [];
  const compared: Holds[] = [];
  for (const value of values) {
    const [, sign, equal, number] = /^\s*([<>])(=?)\s*(-?[\d.]+(?:e[-+]?\d+)?)\s*$/i.exec(value) ?? [];
    const bound = Number(number);
    if (!sign) exact.push(value);
    else compared.push((stated) => (stated === bound ? !!equal : sign === "<" ? stated < bound : stated > bound));
  }
  return { exact, compared };
}

function numbersOf(facets: readonly string[], name: string): number[] {
  return facets.filter((label) => label.startsWith(`${name}=`)).map((label) => Number(label.slice(name.length + 1)));
}

/**
 * The versions that a request means, else the default ones.
 *
 * @throws {SearchError} The site has no version of a name.
 */
export function versionsOf(families: readonly Family[], request: SearchRequest): Versions {
  const requested = [request.version ?? []].flat().filter(Boolean);
  for (const name of requested) {
    if (!name.startsWith("/") && name !== ALL && !families.some((family) => versionNamed(family, name))) {
      throw new SearchError("UNKNOWN_VERSION", `the site has no version ${JSON.stringify(name.slice(0, 80))}`, 400);
    }
  }
  if (!families.length) return { labels: [], folders: new Map() };
  const folders = new Map<string, string>();
  let isAll = requested.includes(ALL);
  for (const family of families) {
    let chosen = requested.flatMap((name) => chosenBy(family, name));
    if (!chosen.length) chosen = chosenBy(family, family.default);
    isAll ||= !chosen.length;
    for (const [name, folder] of chosen) folders.set(`${VERSION}${family.parent}/${name}`, folder);
  }
  const labels = isAll ? [] : [...folders.keys(), VERSION];
  const all = families.flatMap((family) => family.versions.map(({ name, title, aliases }) => ({ name, title: title || name, aliases: Object.keys(aliases).filter((one) => one !== name) })));
  const answer = {
    searched: isAll ? [] : [...folders.keys()].map(nameOf),
    default: families.map((family) => family.default).filter(Boolean),
    available: all.filter(({ name }, at) => all.findIndex((one) => one.name === name) === at),
  };
  return { labels, folders: isAll ? new Map() : folders, answer };
}

const nameOf = (label: string) => label.slice(label.lastIndexOf("/") + 1);
const bare = (name: string) => name.replace(/^v(?=\d)/i, "");

function versionNamed({ versions }: Family, name: string): Family["versions"][number] | undefined {
  const isExact = (one: Family["versions"][number]) => name === one.name || name === one.title || name in one.aliases;
  return versions.find(isExact) ?? versions.find((one) => bare(one.name) === bare(name));
}

function chosenBy(family: Family, name: string): [name: string, folder: string][] {
  if (name.startsWith("/")) {
    const path = name.replace(/\/+$/, "");
    const found = foldersOf(family).find(([, folder]) => folder !== family.parent && (path === folder || path.startsWith(`${folder}/`)));
    return found ? [found] : [];
  }
  const version = versionNamed(family, name);
  return version ? [[version.name, version.aliases[name] || version.folder]] : [];
}

/** Each folder of a family with its version, the innermost first. */
function foldersOf({ versions }: Family): [name: string, folder: string][] {
  const folders = versions.flatMap(({ name, folder, aliases }) => [folder, ...Object.values(aliases).filter(Boolean)].map((one): [string, string] => [name, one]));
  return folders.sort((a, b) => b[1].length - a[1].length);
}

/** The URL and the link of a page in the version that was searched, and the versions that say the same. */
export function placeIn(index: Index, page: number, versions: Versions): { url: string; address: string; versions: string[] } {
  const { pages, families } = index.head;
  const url = pages.url[page]!;
  const address = pages.address[page] ?? url;
  const labels = (pages.facets[page] ?? []).filter((label) => label.startsWith(VERSION) && label !== VERSION);
  labels.sort((a, b) => Number(!versions.folders.has(a)) - Number(!versions.folders.has(b)));
  const names = families.length ? labels.map(nameOf) : [];
  const folder = labels[0] === undefined ? undefined : versions.folders.get(labels[0]);
  const stored = families.flatMap(foldersOf).map(([, one]) => one).find((one) => url === one || url.startsWith(`${one}/`));
  if (folder === undefined || stored === undefined || stored === folder) return { url, address, versions: names };
  return { url: folder + url.slice(stored.length) || "/", address: folder + address.slice(stored.length), versions: names };
}

const NEARLY = 0.8;

/**
 * Pages without those that are translations of a better one: the visitor's language, then the original, then the best.
 * A page without the query's words hides no page that has them.
 *
 * @param share How much of the query a page says.
 */
export function withoutTranslations<T extends { page: number; score: number }>(index: Index, ranked: readonly T[], request: SearchRequest, share: (page: number) => number): Map<T, string[]> {
  const { facets } = index.head.pages;
  const groups = new Map<string, T[]>();
  for (const one of ranked) {
    const label = request.filters?.language ? undefined : facets[one.page]?.find((facet) => facet.startsWith(ORIGINAL));
    const key = label ?? `#${one.page}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  const preferred = request.preferLanguage?.toLowerCase().replaceAll("_", "-") ?? "";
  const distance = ({ page }: T) => {
    const language = index.languages[page]!.toLowerCase();
    return preferred && language === preferred ? 0 : preferred && language.split("-")[0] === preferred.split("-")[0] ? 1 : 2;
  };
  return new Map(
    [...groups].map(([label, group]) => {
      const isOriginal = (one: T) => label === ORIGINAL + index.head.pages.url[one.page] && one.score >= NEARLY * group[0]!.score;
      const order = (one: T) => distance(one) - (isOriginal(one) ? 0.5 : 0);
      const matching = group.filter(({ page }) => share(page));
      const shown = (matching.length ? matching : group).reduce((best, one) => (order(one) < order(best) ? one : best));
      const languages = group.length > 1 ? [shown, ...group.filter((one) => one !== shown)].map(({ page }) => index.languages[page]!) : [];
      return [shown, [...new Set(languages)]];
    }),
  );
}

/** The number of pages by value of each facet. */
export function facetCounts(index: Index, pages: readonly number[], names: readonly string[]): Record<string, Record<string, number>> {
  const counted = (name: string) => {
    const counts = new Map<string, number>();
    for (const page of pages) {
      for (const label of index.head.pages.facets[page] ?? []) if (label.startsWith(`${name}=`)) counts.set(label, (counts.get(label) ?? 0) + 1);
    }
    return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1]).map(([label, count]) => [label.slice(name.length + 1), count]));
  };
  return Object.fromEntries(names.map((name) => [name, counted(name)]));
}
