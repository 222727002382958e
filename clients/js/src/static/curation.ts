// The owner's rules for results, as `searchsocket/curation/rules.py` and `searchsocket/search/curation.py` apply them.
import { fold } from "./tokens.js";

export interface Rule {
  effect: "pin" | "hide" | "boost";
  /** Patterns of plain queries. */
  queries: readonly string[];
  /** pin: URLs; hide: patterns of URLs; boost: directories. */
  pages: readonly string[];
  factor: number;
  /** The last day on which it applies; "": always. */
  until: string;
}

/** The rules for one query. */
export interface Curation {
  /** URLs of the pages that come first, in this order. */
  pins: readonly string[];
  isHidden: (url: string) => boolean;
  /** By which the weight of a page is multiplied. */
  factor: (url: string) => number;
}

const PUNCTUATION = /[ ?!.,;:]+$/;

/** The day in UTC, by which rules end. */
export const today = (): string => new Date().toISOString().slice(0, 10);

export const isCurrent = (until: string | undefined, day: string): boolean => !until || day <= until;

/** A query as rules compare it. */
export function plainQuery(text: string): string {
  return text.split(/\s+/).filter(Boolean).map(fold).join(" ").replace(PUNCTUATION, "");
}

/** Whether a text matches a pattern, in which `*` is any number of characters. */
export function fits(pattern: string, text: string): boolean {
  const [first, ...others] = pattern.split("*");
  if (!others.length) return text === pattern;
  const last = others.pop()!;
  if (!text.startsWith(first!)) return false;
  let end = first!.length;
  for (const part of others) {
    const at = text.indexOf(part, end);
    if (at < 0) return false;
    end = at + part.length;
  }
  return text.endsWith(last) && end <= text.length - last.length;
}

export function curationOf(rules: readonly Rule[], q: string, day: string): Curation {
  const plain = plainQuery(q);
  const own = rules.filter(({ until, queries }) => isCurrent(until, day) && queries.some((pattern) => fits(pattern, plain)));
  const of = (effect: Rule["effect"]) => own.filter((rule) => rule.effect === effect);
  const [hides, boosts] = [of("hide"), of("boost")];
  const isHidden = (url: string) => hides.some(({ pages }) => pages.some((pattern) => fits(pattern, url)));
  const isIn = (url: string, path: string) => url === path || url.startsWith(`${path.replace(/\/+$/, "")}/`);
  return {
    pins: [...new Set(of("pin").flatMap(({ pages }) => pages))].filter((url) => !isHidden(url)),
    isHidden,
    factor: (url) => boosts.reduce((product, { pages, factor }) => (pages.some((path) => isIn(url, path)) ? product * factor : product), 1),
  };
}
