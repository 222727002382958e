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
    results: readonly {
        title: string;
        url: string;
    }[];
}
export interface AnswerRequest extends Pick<SearchRequest, "q" | "scope" | "pathPrefix" | "tags" | "filters" | "version" | "preferLanguage"> {
    history: readonly {
        question: string;
        answer: string;
    }[];
}
/** What the service sends while it answers. */
interface Events {
    citation: (citation: Citation) => void;
    sentence: (sentence: Sentence) => void;
    done: (summary: {
        dropped: number;
    }) => void;
    refused: (refusal: Refusal) => void;
}
/**
 * Ask the service, and call `on` for each of its events, in order.
 *
 * @throws {SearchError} The service rejects the request, fails, or ends before the answer does.
 */
export declare function answer(address: string, request: AnswerRequest, on: Events, signal: AbortSignal): Promise<void>;
export {};
