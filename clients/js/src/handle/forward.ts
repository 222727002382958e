import { limitedBody, TooLarge } from "./body.js";
import { whenVisitorLeaves } from "./leaving.js";
import { problem } from "./problem.js";

/** A visitor's request, as far as it is forwarded. */
export interface Visit {
  readonly request: Request;
  readonly url: URL;
  readonly platform?: unknown;
  getClientAddress(): string;
}

/** The service, and how it is asked. */
export interface Upstream {
  readonly url: URL;
  readonly path: string;
  readonly key: string;
  readonly timeoutMs: number;
  readonly maxBodyBytes: number;
  /** Whether an answer may go on for ever once it has begun, as those of MCP may. */
  readonly isStream: boolean;
  onError(message: string): void;
}

const METHODS = new Set(["GET", "HEAD", "POST", "OPTIONS"]);
// Cookies and whatever else a visitor sends stay here.
const ASKED = [
  "accept", "content-type", "if-none-match", "origin", "x-request-id", "last-event-id", "sec-gpc",
  "access-control-request-method", "access-control-request-headers",
]; // prettier-ignore
const ANSWERED = /^(content-type|etag|cache-control|vary|link|allow|retry-after|www-authenticate|x-request-id|x-content-type-options|content-security-policy|ratelimit-.+|access-control-.+|mcp-.+)$/;

/** The service's answer to a visitor's request; an error in the service's form where there is none in time. */
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
    if (to.isStream) clearTimeout(timer);
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

/** Why there is no answer goes to the log of the site; visitors read no address. */
function refused(to: Upstream, status: number, code: string, reason: string): Response {
  to.onError(reason);
  const words = { TIMED_OUT: "search did not answer in time", INVALID_ANSWER: "search is set up wrongly" }[code];
  return problem(status, code, words ?? "search cannot be reached at the moment", status === 502 ? {} : { "retry-after": "5" });
}

function headersFor(event: Visit, to: Upstream): Headers {
  const { request } = event;
  const sent = new Headers({ "accept-encoding": "identity" }); // else the answer would be unpacked here, and called packed
  for (const [name, value] of request.headers) {
    if (ASKED.includes(name) || name.startsWith("mcp-")) sent.set(name, value);
  }
  const own = request.headers.get("authorization");
  const address = clientAddress(event);
  if (own) sent.set("authorization", own);
  else if (to.key && !to.isStream) {
    // The key says that this is the site; the visitor stays anonymous, and is the one who is counted.
    sent.set("authorization", `Bearer ${to.key}`);
    sent.set("x-searchsocket-visitor", address || "unknown");
    return sent;
  }
  if (address) sent.set("x-forwarded-for", address); // instead of what the visitor may have sent
  return sent;
}

function clientAddress(event: Visit): string {
  try {
    return event.getClientAddress();
  } catch {
    return ""; // an adapter that does not know, or a page that is prerendered
  }
}

function answeredHeaders(headers: Headers): Headers {
  const kept = new Headers();
  for (const [name, value] of headers) if (ANSWERED.test(name)) kept.append(name, value);
  return kept;
}

/** The body, which ends the request when the visitor stops reading; its last bytes count against the time as well. */
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
