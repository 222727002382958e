import { AnswerCache } from "./cache.js";
import { errorOf, SearchError } from "./errors.js";
import { toFetch } from "./request.js";
import type { Answers } from "./static-client.js";
import type { SearchAnswer, SearchRequest } from "./types.js";

export interface SearchClientOptions {
  /** Address of the service, or of the handler that forwards to it; default `/api/search`. */
  endpoint?: string;
  /** Timeout of a request; default 8,000. */
  timeoutMs?: number;
  /** Debounce of `searchTyped` during fast typing; default 60. Longer near the rate limit. */
  debounceMs?: number;
  /** Number of cached answers; default 50; 0 = no cache. */
  cacheSize?: number;
  /** Maximum age of a cached answer; default 60,000. */
  cacheMs?: number;
  /** Headers of each request. Every visitor can read them, so never put a key here: it belongs on a server. */
  headers?: Readonly<Record<string, string>>;
  fetch?: typeof fetch;
  /** Answers requests instead of the service, see `staticAnswers`. */
  answers?: Answers;
}

export interface SearchClient {
  /**
   * Send one query.
   *
   * @throws {SearchError} There is no answer: `code` says why, `retryable` whether to try again.
   */
  search(request: SearchRequest | string, options?: { signal?: AbortSignal }): Promise<SearchAnswer>;
  /**
   * Search while the visitor types: at once after a pause, else for the last of several keys. Cancels the call before it.
   *
   * @returns The answer; null when a later call took its place.
   * @throws {SearchError} As `search`.
   */
  searchTyped(request: SearchRequest | string): Promise<SearchAnswer | null>;
  /** Cancel the pending `searchTyped`; its promise gives null. */
  cancel(): void;
  /** Forget all answers. */
  clear(): void;
}

const SCARCE = 0.5; // share of the rate limit below which the pause grows
const LONGEST_PAUSE_MS = 600;
const STATIC_PAUSE_MS = 150;
const NO_RESULTS = "the answer contains no results";

/** A client of one service: `search` for programs, `searchTyped` for a search box. */
export function createSearchClient(options: SearchClientOptions = {}): SearchClient {
  const { endpoint = "/api/search", timeoutMs = 8000, debounceMs = 60, headers = {} } = options;
  const cache = new AnswerCache(options.cacheSize ?? 50, options.cacheMs ?? 60_000);
  const { answers } = options;
  const ask = options.fetch ?? ((input, init) => fetch(input, init)); // looked up at each call, so that tests and sites can replace it
  let typed: AbortController | null = null;
  let typedAt = -Infinity; // milliseconds of the monotonic clock
  let left = 1; // share of the rate limit, from the last answer

  async function fetched(url: string, body: string | null, signal: AbortSignal): Promise<SearchAnswer> {
    const response = await ask(url, {
      method: body === null ? "GET" : "POST",
      headers: body === null ? headers : { ...headers, "content-type": "application/json" },
      body,
      signal,
    });
    left = shareLeft(response.headers) ?? left;
    if (!response.ok) throw await errorOf(response);
    const answer = (await response.json()) as SearchAnswer;
    if (!Array.isArray(answer?.results) || !answer.meta) {
      throw new SearchError("INVALID_ANSWER", NO_RESULTS, response.status);
    }
    return answer;
  }

  async function search(request: SearchRequest | string, { signal }: { signal?: AbortSignal } = {}): Promise<SearchAnswer> {
    if (signal?.aborted) throw aborted();
    const { url, body } = toFetch(endpoint, typeof request === "string" ? { q: request } : request);
    const key = body ?? url;
    const kept = cache.get(key);
    if (kept) return kept;
    const ended = new AbortController();
    let isLate = false;
    const timer = setTimeout(() => ((isLate = true), ended.abort()), timeoutMs);
    const forward = () => ended.abort();
    signal?.addEventListener("abort", forward, { once: true });
    try {
      const answer = answers ? await unlessAborted(answers(typeof request === "string" ? { q: request } : request), ended.signal) : await fetched(url, body, ended.signal);
      cache.set(key, answer);
      return answer;
    } catch (error) {
      if (isLate) throw new SearchError("TIMED_OUT", `the service did not answer within ${timeoutMs} ms`);
      if (signal?.aborted) throw aborted();
      if (error instanceof SearchError) throw error;
      if (error instanceof SyntaxError) throw new SearchError("INVALID_ANSWER", NO_RESULTS);
      throw new SearchError("UNREACHABLE", "the service cannot be reached");
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", forward);
    }
  }

  /** The first key after a pause searches at once, which feels instant; fast typing is debounced. */
  function pauseMs(): number {
    const sinceMs = performance.now() - typedAt;
    typedAt = performance.now();
    if (answers) return Math.max(debounceMs, STATIC_PAUSE_MS); // each query loads files
    if (left < SCARCE) return Math.max(debounceMs, LONGEST_PAUSE_MS * (1 - left / SCARCE));
    return sinceMs >= debounceMs ? 0 : debounceMs;
  }

  async function searchTyped(request: SearchRequest | string): Promise<SearchAnswer | null> {
    typed?.abort();
    const mine = (typed = new AbortController());
    const waitMs = pauseMs();
    const { url, body } = toFetch(endpoint, typeof request === "string" ? { q: request } : request);
    const kept = cache.get(body ?? url);
    if (kept) return kept;
    try {
      if (waitMs) await paused(waitMs, mine.signal);
      return await search(request, { signal: mine.signal });
    } catch (error) {
      if (mine.signal.aborted) return null;
      throw error;
    }
  }

  return { search, searchTyped, cancel: () => typed?.abort(), clear: () => cache.clear() };
}

function aborted(): SearchError {
  return new SearchError("ABORTED", "the caller ended the search");
}

/** Return the answer; throws as soon as the signal aborts. */
function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return Promise.race([answer, new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(aborted()), { once: true }))]);
}

/** Wait; throws as soon as the signal aborts. */
function paused(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), reject(aborted())), { once: true });
  });
}

/** Share of the rate limit that this visitor has left; null if the headers do not say (another origin hides them). */
function shareLeft(headers: Headers): number | null {
  const limit = Number(headers.get("ratelimit-limit"));
  const remaining = headers.get("ratelimit-remaining");
  return limit > 0 && remaining !== null ? Number(remaining) / limit : null;
}
