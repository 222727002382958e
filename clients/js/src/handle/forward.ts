import { limitedBody, TooLarge } from "./body.js";
import { whenVisitorLeaves } from "./leaving.js";
import { problem } from "./problem.js";

/** The parts of a visitor's request that are forwarded. */
export interface Visit {
  readonly request: Request;
  readonly url: URL;
  readonly platform?: unknown;
  getClientAddress(): string;
}

/** Address and options of the service. */
export interface Upstream {
  readonly url: URL;
  readonly path: string;
  readonly key: string;
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  /** True if an answer has no time limit after its first byte, as with MCP. */
  readonly isStream: boolean;
  onError(message: string): void;
}

const METHODS = new Set(["GET", "HEAD", "POST", "OPTIONS"]);
// Cookies and all other headers of the visitor are not forwarded.
const ASKED = [
  "accept", "content-type", "if-none-match", "origin", "x-request-id", "last-event-id", "sec-gpc",
  "access-control-request-method", "access-control-request-headers",
]; // prettier-ignore
const ANSWERED = /^(content-type|etag|cache-control|vary|link|allow|retry-after|www-authenticate|x-request-id|x-content-type-options|content-security-policy|ratelimit-.+|access-control-.+|mcp-.+)$/;

/** Return the service's answer, or an error in the service's form after the timeout. */
export async function forward(event: Visit, to: Upstream): Promise<Response> {
  const { request } = event;
  const methods = to.isStream ? new Set([...METHODS, "DELETE"]) : METHODS;
  if (!methods.has(request.method)) {
    return problem(405, "METHOD_NOT_ALLOWED", "method not allowed", { allow: [...methods].join(", ") });
  }
  const stop = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    stop.abort();
  }, to.timeoutMs);
  let isGone = false;
  const stopListening = whenVisitorLeaves(request.signal, event.platform, () => {
    isGone = true;
    stop.abort();
  });
  const end = () => {
    clearTimeout(timer);
    stopListening();
  };
  try {
    const body = await untilAborted(limitedBody(request, to.maxBodyBytes), stop.signal);
    const target = new URL(to.url);
    target.pathname = target.pathname.replace(/\/$/, "") + to.path;
    target.search = event.url.search;
    target.username = target.password = target.hash = "";
    const answer = await fetch(target, {
      method: request.method,
      headers: headersFor(event, to),
      body: body ?? null,
      signal: stop.signal,
      redirect: "manual",
    });
    if (answer.status >= 300 && answer.status < 400 && answer.status !== 304) {
      end();
      await answer.body?.cancel();
      return refused(to, 502, "INVALID_ANSWER", `${target.origin} redirected; name the address that it redirects to`);
    }
    // A stream has no time limit after its first byte: MCP, and answers in sentences.
    if (to.isStream || answer.headers.get("content-type")?.startsWith("text/event-stream")) clearTimeout(timer);
    return new Response(answer.body ? watched(answer.body, stop, end, () => late) : (end(), null), {
      status: answer.status,
      headers: answeredHeaders(answer.headers),
    });
  } catch (error) {
    end();
    if (error instanceof TooLarge) {
      return problem(413, "INVALID_REQUEST", `the body may have at most ${to.maxBodyBytes} bytes`, { connection: "close" });
    }
    if (late) return refused(to, 504, "TIMED_OUT", `${to.url.origin} did not answer in ${to.timeoutMs} ms`);
    if (isGone) return problem(499, "ABORTED", "the visitor left");
    return refused(to, 503, "UNREACHABLE", `${to.url.origin} cannot be reached: is \`searchsocket serve\` running there?`);
  }
}

/** Log the reason for the site's owner; visitors never see the address. */
function refused(to: Upstream, status: number, code: string, reason: string): Response {
  to.onError(reason);
  const words = { TIMED_OUT: "search did not answer in time", INVALID_ANSWER: "search is set up wrongly" }[code];
  return problem(status, code, words ?? "search cannot be reached at the moment", status === 502 ? {} : { "retry-after": "5" });
}

function headersFor(event: Visit, to: Upstream): Headers {
  const { request } = event;
  const sent = new Headers({ "accept-encoding": "identity" }); // `fetch` would decompress the answer but keep its Content-Encoding
  for (const [name, value] of request.headers) {
    if (ASKED.includes(name) || name.startsWith("mcp-")) sent.set(name, value);
  }
  const own = request.headers.get("authorization");
  const address = clientAddress(event);
  if (own) sent.set("authorization", own);
  else if (to.key && !to.isStream) {
    // The key identifies the site. The visitor stays anonymous, and rate limits count the visitor.
    sent.set("authorization", `Bearer ${to.key}`);
    sent.set("x-searchsocket-visitor", address || "unknown");
    return sent;
  }
  if (address) sent.set("x-forwarded-for", address); // replaces a header of the visitor
  return sent;
}

function clientAddress(event: Visit): string {
  try {
    return event.getClientAddress();
  } catch {
    return ""; // the adapter does not know it, or the page is prerendered
  }
}

function answeredHeaders(headers: Headers): Headers {
  const kept = new Headers();
  for (const [name, value] of headers) if (ANSWERED.test(name)) kept.append(name, value);
  return kept;
}

/** Body of the answer. The request ends if the visitor stops reading, and the timeout includes its last byte. */
function watched(
  body: ReadableStream<Uint8Array>, stop: AbortController, end: () => void, isLate: () => boolean,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      } catch (error) {
        end();
        controller.error(isLate() ? new Error("the service stopped in the middle of its answer") : error);
      }
    },
    cancel() {
      end();
      stop.abort();
    },
  });
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = () => reject(new DOMException("aborted", "AbortError"));
    if (signal.aborted) aborted();
    signal.addEventListener("abort", aborted, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", aborted));
  });
}
