/** Codes of this package; all others are the service's, see `/docs/api/search#errors`. */
export type OwnCode = "ABORTED" | "TIMED_OUT" | "UNREACHABLE" | "INVALID_ANSWER";
/** Why there is no answer. An outage is an error; it never looks like an empty list. */
export declare class SearchError extends Error {
    readonly code: OwnCode | (string & {});
    readonly status: number;
    readonly retryAfterS: number | null;
    readonly name = "SearchError";
    /**
     * @param code `RATE_LIMITED`, `INVALID_REQUEST`, ... of the service, or one of `OwnCode`.
     * @param status Of the HTTP answer; 0 where there was none.
     * @param retryAfterS Seconds after which the service wants to be asked again; null where it did not say.
     */
    constructor(code: OwnCode | (string & {}), message: string, status?: number, retryAfterS?: number | null);
    /** Whether the same request may be answered later. */
    get retryable(): boolean;
}
/** The error that a response carries, also where a proxy wrote it and not the service. */
export declare function errorOf(response: Response): Promise<SearchError>;
