// The worker of a static export: it reads the files of an index and answers one request per message.
import { SearchError } from "./errors.js";
import { fetched } from "./static/files.js";
import type { Index } from "./static/index.js";
import { openIndex, search } from "./static/search.js";
import { type Site, searchSites } from "./static/sites.js";
import type { Origin, SearchRequest } from "./types.js";

// For programs without a worker, such as tests.
export { openIndex, search, searchSites };

/** A site of an export. */
export interface StaticSite {
  /** Address of its first file, below the folder of the export; its other files are beside it. */
  head: string;
  /** Path of the site on its host, before the addresses of its pages. */
  prefix: string;
  /** Absent if the export has one site. */
  origin?: Origin;
}

export interface StaticRequest {
  id: number;
  /** Address of the folder. */
  folder: string;
  sites: readonly StaticSite[];
  /** Of the head of each site, with the first request; null: it could not be loaded. */
  data: readonly (ArrayBuffer | null)[];
  /** null: only open the indexes. */
  request: SearchRequest | null;
}

const indexes = new Map<string, Promise<Index>>();

function opened(url: URL, data: ArrayBuffer | null | undefined): Promise<Index> {
  let index = indexes.get(url.href);
  if (!index) indexes.set(url.href, (index = openIndex(url.href, async (name) => (name === url.href && data) || fetched(new URL(name, url)))));
  index.catch(() => indexes.delete(url.href));
  return index;
}

async function answer({ id, folder, sites, data, request }: StaticRequest): Promise<void> {
  try {
    const open = sites.map(({ head }, at) => opened(new URL(head, folder), data[at]));
    const asked = sites.map(({ origin, prefix }, at) => ({ origin, search: async (own: SearchRequest) => search(await open[at]!, own, prefix) }));
    if (!request) await Promise.allSettled(open);
    const [site] = asked;
    postMessage({ id, answer: request && (site?.origin ? await searchSites(asked as Site[], request) : await site!.search(request)) });
  } catch (error) {
    const { code, message, status } = error instanceof SearchError ? error : new SearchError("INVALID_ANSWER", String(error));
    postMessage({ id, error: { code, message, status } });
  }
}

if ("WorkerGlobalScope" in globalThis) addEventListener("message", ({ data }: MessageEvent<StaticRequest>) => void answer(data));
