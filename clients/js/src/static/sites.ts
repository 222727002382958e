// Several sites as one answer, as `searchsocket/extensions/fleet/api/searcher.py` makes it.
import { SearchError } from "../errors.js";
import type { Note, Origin, Result, SearchAnswer, SearchRequest } from "../types.js";

const QUALITIES = ["rejected", "weak", "answered"] as const;
const MAX_TOP_K = 100;
const USUAL_TOP_K = 10;
const CANNOT_MATCH = ["UNKNOWN_FACET", "UNKNOWN_VERSION"]; // filters that a site does not have

/** Answers the requests of one site. */
export interface Site {
  origin: Origin;
  search: (request: SearchRequest) => Promise<SearchAnswer>;
}

interface Reply {
  origin: Origin;
  answer: SearchAnswer;
}

/** @throws {SearchError} No site has an answer. */
export async function searchSites(sites: readonly Site[], request: SearchRequest): Promise<SearchAnswer> {
  const topK = Math.min(Math.max(request.topK ?? USUAL_TOP_K, 1), MAX_TOP_K);
  const offset = Math.max(request.offset ?? 0, 0);
  const settled = await Promise.allSettled(sites.map(({ search }) => search({ ...request, topK: Math.min(topK + offset, MAX_TOP_K), offset: 0 })));
  const replies: Reply[] = [];
  const notes: Note[] = [];
  const errors: unknown[] = [];
  settled.forEach((one, at) => {
    const { origin } = sites[at]!;
    if (one.status === "fulfilled") return replies.push({ origin, answer: one.value });
    if (!CANNOT_MATCH.includes((one.reason as SearchError).code)) notes.push({ code: "SITE_UNAVAILABLE", message: `${origin.title} did not answer` });
    return errors.push(one.reason);
  });
  if (!replies.length) throw errors.find((one) => (one as SearchError).status === 400) ?? errors[0];
  return mergedAnswer(replies, topK, offset, notes);
}

/** One answer by confidence, which means the same in each site. */
function mergedAnswer(replies: readonly Reply[], topK: number, offset: number, notes: readonly Note[] = []): SearchAnswer {
  const worth = ({ answer }: Reply) => QUALITIES.indexOf(answer.quality);
  const best = Math.max(...replies.map(worth));
  const fitting = replies.filter((reply) => worth(reply) === best);
  const ranked = fitting.flatMap(({ origin, answer }) => {
    // Each site keeps its order, although a pinned page may be less likely than the next.
    const keys = answer.results.map((_, at) => Math.max(...answer.results.slice(at).map(({ confidence }) => confidence)));
    return answer.results.map((result, at): [number, Result] => [keys[at]!, { ...result, origin }]);
  });
  ranked.sort(([one], [other]) => other - one);
  const first = replies[0]!.answer;
  const facets = facetsOf(fitting);
  const { versions, ...rest } = first;
  return {
    ...rest,
    results: ranked.slice(offset, offset + topK).map(([, result]) => result),
    total: Math.min(fitting.reduce((sum, { answer }) => sum + answer.total, 0), MAX_TOP_K),
    quality: QUALITIES[best]!,
    ...(facets ? { facets } : {}),
    meta: { ...first.meta, generation: replies.map(({ answer }) => answer.meta.generation).join(" "), notes: [...notes, ...replies.flatMap(({ answer }) => answer.meta.notes)] },
  };
}

function facetsOf(replies: readonly Reply[]): SearchAnswer["facets"] {
  const counts: Record<string, Record<string, number>> = {};
  for (const { answer } of replies) {
    for (const [name, values] of Object.entries(answer.facets ?? {})) {
      const own = (counts[name] ??= {});
      for (const [value, count] of Object.entries(values)) own[value] = (own[value] ?? 0) + count;
    }
  }
  return replies.some(({ answer }) => answer.facets) ? counts : undefined;
}
