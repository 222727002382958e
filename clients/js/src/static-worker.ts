// The worker of a static export: it reads the files of an index and answers one request per message.
import { SearchError } from "./errors.js";
import { fetched } from "./static/files.js";
import type { Index } from "./static/index.js";
import { openIndex, search } from "./static/search.js";
import type { SearchRequest } from "./types.js";

// For programs outside of a worker, such as tests.
export { openIndex, search };
export { curationOf } from "./static/curation.js";
export { nearest } from "./static/terms.js";
export { indexText, namesOf, parseQuery, possibleNames, setStopWords, stem } from "./static/tokens.js";

export interface StaticRequest {
  id: number;
  /** Address of the folder, and the head in it. */
  folder: string;
  head: string;
  /** Of the head, with the first request. */
  data: ArrayBuffer | null;
  /** null: only open the index. */
  request: SearchRequest | null;
}

const indexes = new Map<string, Promise<Index>>();

async function answer({ id, folder, head, data, request }: StaticRequest): Promise<void> {
  try {
    let index = indexes.get(folder + head);
    if (!index) indexes.set(folder + head, (index = openIndex(head, async (name) => (name === head && data) || fetched(new URL(name, folder)))));
    index.catch(() => indexes.delete(folder + head));
    const opened = await index;
    postMessage({ id, answer: request && (await search(opened, request)) });
  } catch (error) {
    const { code, message, status } = error instanceof SearchError ? error : new SearchError("INVALID_ANSWER", String(error));
    postMessage({ id, error: { code, message, status } });
  }
}

if ("WorkerGlobalScope" in globalThis) addEventListener("message", ({ data }: MessageEvent<StaticRequest>) => void answer(data));
