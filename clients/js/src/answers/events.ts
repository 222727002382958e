import { errorOf, SearchError } from "../errors.js";
import type { SearchRequest } from "../types.js";

/** A passage that the answer cites. */
export interface Citation {
  number: number;
  title: string;
  section: string;
  /** Opens the section. */
  url: string;
  /** The words of the passage that support the sentence. */
  quote: string;
}

/** One proved sentence of an answer, in a small Markdown: code, bold, and links to cited pages. */
export interface Sentence {
  text: string;
  citations: readonly number[];
  kind: "text" | "item" | "code";
  /** For code: whether a cited page contains it. */
  quoted: boolean;
  /** Sentences of one paragraph or list item have the same number. */
  paragraph: number;
  /** Of each citation, the words of the passage that support this sentence; a service of an older release has none. */
  quotes?: readonly string[];
}

export interface Refusal {
  reason: "not_covered" | "unsupported" | "model" | "budget" | "busy" | (string & {});
  message: string;
  /** The nearest pages. */
  results: readonly { title: string; url: string }[];
}

export interface AnswerRequest extends Pick<SearchRequest, "q" | "scope" | "pathPrefix" | "tags" | "filters" | "version" | "preferLanguage"> {
  history: readonly { question: string; answer: string }[];
}

/** What the service sends while it answers. */
interface Events {
  citation: (citation: Citation) => void;
  sentence: (sentence: Sentence) => void;
  done: (summary: { dropped: number }) => void;
  refused: (refusal: Refusal) => void;
}

/**
 * Ask the service, and call `on` for each of its events, in order.
 *
 * @throws {SearchError} The service rejects the request, fails, or ends before the answer does.
 */
export async function answer(address: string, request: AnswerRequest, on: Events, signal: AbortSignal): Promise<void> {
  const response = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ ...request, stream: true }),
    signal,
  });
  if (!response.ok || !response.body) throw await errorOf(response);
  for await (const [name, text] of eventsOf(response.body)) {
    const data: unknown = JSON.parse(text);
    if (name === "error") throw failure(data);
    if (name in on) on[name as keyof Events](data as never);
    if (name === "done" || name === "refused") return;
  }
  throw new SearchError("INVALID_ANSWER", "the answer ended early");
}

/** Yield name and data of each event of a stream. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly [name: string, data: string]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      const events = rest.split(/\r?\n\r?\n/);
      rest = events.pop()!;
      for (const event of events) {
        const lines = event.split(/\r?\n/);
        const named = (key: string) => lines.flatMap((line) => (line.startsWith(`${key}:`) ? line.slice(key.length + 1).replace(/^ /, "") : []));
        const data = named("data").join("\n");
        if (data) yield [named("event")[0] ?? "message", data];
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined); // the reader stopped before the end
  }
}

function failure(data: unknown): SearchError {
  const { code, message } = data as { code?: unknown; message?: unknown };
  return new SearchError(String(code), String(message), 502);
}
