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
    search(request: SearchRequest | string, options?: {
        signal?: AbortSignal;
    }): Promise<SearchAnswer>;
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
/** A client of one service: `search` for programs, `searchTyped` for a search box. */
export declare function createSearchClient(options?: SearchClientOptions): SearchClient;
