import type { AnswerModel } from "../types.js";
import type { Weights } from "./files.js";
import type { Evidence } from "./terms.js";
/** Bonuses of the best page. */
export interface Best {
    passage: number;
    names: number;
    exact: number;
}
/** The decision; undefined if the model does not apply. Below `rejectedBelow` it holds only if no page has all words. */
export declare function answerModel({ answer }: Weights, words: Evidence, best: Best): AnswerModel | undefined;
export declare const isRefused: (model: AnswerModel | undefined, words: Evidence) => boolean;
export declare const isDoubted: (model: AnswerModel | undefined) => boolean;
/** The confidence of a result of such a query, which is a weak match. */
export declare const doubted: (confidence: number) => number;
