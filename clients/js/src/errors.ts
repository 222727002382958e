/** Codes of this package; all others come from the service, see `/docs/api/search#errors`. */
export type OwnCode = "ABORTED" | "TIMED_OUT" | "UNREACHABLE" | "INVALID_ANSWER";

/** Reason for a missing answer. An outage is an error, never an empty list. */
export class SearchError extends Error {
  override readonly name = "SearchError";

  /**
   * @param code `RATE_LIMITED`, `INVALID_REQUEST`, ... of the service, or one of `OwnCode`.
   * @param status Of the HTTP answer; 0 where there was none.
   * @param retryAfterS Seconds to wait before a retry; null if the service did not say.
   */
  constructor(
    readonly code: OwnCode | (string & {}),
    message: string,
    readonly status = 0,
    readonly retryAfterS: number | null = null,
  ) {
    super(message);
  }

  /** True if a retry may succeed. */
  get retryable(): boolean {
    return this.status === 429 || this.status >= 500 || this.code === "TIMED_OUT" || this.code === "UNREACHABLE";
  }
}

const MAX_WAIT_S = 3600;

/** Return the error of a response, also if a proxy wrote it. */
export async function errorOf(response: Response): Promise<SearchError> {
  const body: unknown = await response.json().catch(() => null);
  const { code, message } = (body as { error?: { code?: unknown; message?: unknown } } | null)?.error ?? {};
  const wait = Number.parseInt(response.headers.get("retry-after") ?? "", 10);
  return new SearchError(
    typeof code === "string" ? code : response.status === 429 ? "RATE_LIMITED" : "INVALID_ANSWER",
    typeof message === "string" ? message : `the service answered with status ${response.status}`,
    response.status,
    Number.isFinite(wait) ? Math.min(Math.max(wait, 0), MAX_WAIT_S) : null,
  );
}
