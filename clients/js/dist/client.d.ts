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
    search(request: SearchRequest | string, options?: {
        signal?: AbortSignal;
    }): Promise<SearchAnswer>;
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
/** A client of one service: `search` for programs, `searchTyped` for a search box. */
export declare function createSearchClient(options?: SearchClientOptions): SearchClient;
