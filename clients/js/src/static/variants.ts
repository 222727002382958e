// Other spellings of the words of a query: `searchsocket/text/variants.py` in TypeScript.
import { type ParsedQuery, type QueryWord, stem } from "./tokens.js";

type Forms = readonly string[];

const NUMBER = /^\d+(?:\.\d+)*$/;
const PLAIN_VERSION = /^\d{1,4}(?:\.\d+)*(?:[-.+][\p{L}\p{N}_]+)*$/u;
const NAME_AND_NUMBER = /^(?:([a-z]+)(\d+(?:\.\d+)*)|(\d+(?:\.\d+)*)([a-z]{1,4}))$/;
const MAX_UNIT_CHARS = 4;
const MIN_DIGRAPH_CHARS = 4;
const MAX_DIGRAPHS = 4;

/** By exact form. They count only for a word that no document has, except the same version with or without its `v`. */
export function variantsOf({ words, order }: ParsedQuery): Map<string, Forms[]> {
  const variants = new Map<string, Map<string, Forms>>();
  const add = ({ exact }: QueryWord, forms: Forms) => {
    if (forms.join() === exact) return;
    variants.set(exact, (variants.get(exact) ?? new Map<string, Forms>()).set(forms.join(" "), forms));
  };
  for (const word of words) {
    for (const forms of word.stem ? ofDigraphs(word.exact) : ofNumber(word.exact)) add(word, forms);
    if (word.pieces[1] && /[-_]/.test(word.exact)) add(word, [stem(word.pieces.join(""))]), add(word, word.pieces.map(stem));
  }
  order.slice(1).forEach((second, at) => {
    const first = order[at]!;
    const isUnit = !!second.stem && second.exact.length <= MAX_UNIT_CHARS && NUMBER.test(first.exact);
    const joined = first.exact + second.exact;
    const isOne = first.stem ? second.stem || NUMBER.test(second.exact) : isUnit;
    if (isOne) for (const word of [first, second]) add(word, [first.stem ? stem(joined) : joined]);
  });
  for (const group of digitGroups(order)) {
    const parts = group.map(({ exact }) => exact);
    for (const word of group) add(word, [parts.join("")]), add(word, [parts.join(".")]);
  }
  return new Map([...variants].map(([exact, forms]) => [exact, [...forms.values()]]));
}

/** The same version without its `v`, or with one; "" if the word is none. */
export function sameVersion(exact: string): string {
  if (/^v\d/.test(exact)) return exact.slice(1);
  return PLAIN_VERSION.test(exact) ? `v${exact}` : "";
}

export function isNumber(word: QueryWord): boolean {
  return !word.stem && PLAIN_VERSION.test(word.exact.replace(/^v/, ""));
}

function ofNumber(exact: string): Forms[] {
  const found: Forms[] = [];
  const version = sameVersion(exact);
  if (version) found.push([version]);
  if (/^\d{4,15}$/.test(exact)) {
    const groups = exact.match(/^\d{1,3}(?=(?:\d{3})+$)|\d{3}/g)!;
    found.push(groups, [groups.join(".")]);
  } else if (/^\d{1,3}(?:\.\d{3})+$/.test(exact)) found.push([exact.replaceAll(".", "")], exact.split("."));
  if (/^(?=.*\d)[0-9a-f]{4,16}$/.test(exact)) found.push([`0x${exact}`]);
  else if (exact.startsWith("0x")) found.push([exact.slice(2)]);
  const match = NAME_AND_NUMBER.exec(exact);
  if (match) found.push(match[1] ? [stem(match[1]), match[2]!] : [match[3]!, stem(match[4]!)]);
  return found;
}

/** Stems of a word in which one or more of `ae`, `oe` and `ue` are one letter, most of them first. */
function ofDigraphs(exact: string): Forms[] {
  if (exact.length < MIN_DIGRAPH_CHARS) return [];
  const starts = [...exact.matchAll(/ae|oe|ue/g)].slice(0, MAX_DIGRAPHS).map(({ index }) => index);
  return Array.from({ length: 2 ** starts.length - 1 }, (_, at) => {
    const chosen = 2 ** starts.length - 1 - at;
    const dropped = starts.filter((_, place) => chosen & (2 ** (starts.length - 1 - place))).map((start) => start + 1);
    return [stem(Array.from(exact, (letter, place) => (dropped.includes(place) ? "" : letter)).join(""))];
  });
}

/** Neighbouring words that may be the groups of one number: `8,443` or `12 500`. */
function digitGroups(order: readonly QueryWord[]): QueryWord[][] {
  const groups: QueryWord[][] = [];
  let group: QueryWord[] = [];
  for (const word of order) {
    if (group.length && /^\d{3}$/.test(word.exact)) group.push(word);
    else groups.push((group = /^\d{1,3}$/.test(word.exact) ? [word] : []));
  }
  return groups.filter(({ length }) => length > 1);
}
