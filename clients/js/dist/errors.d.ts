/** Codes of this package; all others come from the service, see `/docs/api/search#errors`. */
export type OwnCode = "ABORTED" | "TIMED_OUT" | "UNREACHABLE" | "INVALID_ANSWER";
/** Reason for a missing answer. An outage is an error, never an empty list. */
export declare class SearchError extends Error {
    readonly code: OwnCode | (string & {});
    readonly status: number;
    readonly retryAfterS: number | null;
    readonly name = "SearchError";
    /**
     * @param code `RATE_LIMITED`, `INVALID_REQUEST`, ... of the service, or one of `OwnCode`.
     * @param status Of the HTTP answer; 0 where there was none.
     * @param retryAfterS Seconds to wait before a retry; null if the service did not say.
     */
    constructor(code: OwnCode | (string & {}), message: string, status?: number, retryAfterS?: number | null);
    /** True if a retry may succeed. */
    get retryable(): boolean;
}
/** Return the error of a response, also if a proxy wrote it. */
export declare function errorOf(response: Response): Promise<SearchError>;
