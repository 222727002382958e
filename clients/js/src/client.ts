import { AnswerCache } from "./cache.js";
import { errorOf, SearchError } from "./errors.js";
import { toFetch } from "./request.js";
import type { Answers } from "./static-client.js";
import type { SearchAnswer, SearchRequest } from "./types.js";

export interface SearchClientOptions {
  /** Where the service, or what forwards to it, answers; default `/api/search`. */
  endpoint?: string;
  /** How long an answer may take; default 8,000. */
  timeoutMs?: number;
  /** How long `searchTyped` waits for the next key while keys come faster than that; default 60. It waits longer near the rate limit. */
  debounceMs?: number;
  /** How many answers are kept; default 50, none with 0. */
  cacheSize?: number;
  /** How long one is kept; default 60,000. */
  cacheMs?: number;
  /** Sent with each request. A key belongs on a server: whatever is here can be read by every visitor. */
  headers?: Readonly<Record<string, string>>;
  fetch?: typeof fetch;
  /** Answers in place of the service, see `staticAnswers`. */
  answers?: Answers;
}

export interface SearchClient {
  /**
   * Ask once.
   *
   * @throws {SearchError} There is no answer: `code` says why, `retryable` whether to try again.
   */
  search(request: SearchRequest | string, options?: { signal?: AbortSignal }): Promise<SearchAnswer>;
  /**
   * Ask while words are typed: at once after a pause, else for the last of several keys; ends what an earlier call still waits for.
   *
   * @returns The answer; null when a later call took its place.
   * @throws {SearchError} As `search`.
   */
  searchTyped(request: SearchRequest | string): Promise<SearchAnswer | null>;
  /** End what `searchTyped` waits for; its promise gives null. */
  cancel(): void;
  /** Forget all answers. */
  clear(): void;
}

const SCARCE = 0.5; // of the rate limit's requests are left: from here on the pause grows
const LONGEST_PAUSE_MS = 600;
const STATIC_PAUSE_MS = 150;
const NO_RESULTS = "the answer contains no results";

/** A client of one service: `search` for programs, `searchTyped` for a search box. */
export function createSearchClient(options: SearchClientOptions = {}): SearchClient {
  const { endpoint = "/api/search", timeoutMs = 8000, debounceMs = 60, headers = {} } = options;
  const cache = new AnswerCache(options.cacheSize ?? 50, options.cacheMs ?? 60_000);
  const { answers } = options;
  const ask = options.fetch ?? ((input, init) => fetch(input, init)); // found at each call, so that it can be replaced
  let typed: AbortController | null = null;
  let typedAt = -Infinity; // milliseconds of the monotonic clock
  let left = 1; // of the rate limit, as the service last said

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

  /** A key after a pause is answered at once, which is what makes a search feel so; fast keys would ask for nothing of use. */
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

/** What is answered, or an error as soon as the signal says so. */
function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  return Promise.race([answer, new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(aborted()), { once: true }))]);
}

/** Waits, or throws as soon as the signal says so. */
function paused(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), reject(aborted())), { once: true });
  });
}

/** Which share of the rate limit is left to this visitor; null where the headers do not say (another origin hides them). */
function shareLeft(headers: Headers): number | null {
  const limit = Number(headers.get("ratelimit-limit"));
  const remaining = headers.get("ratelimit-remaining");
  return limit > 0 && remaining !== null ? Number(remaining) / limit : null;
}
