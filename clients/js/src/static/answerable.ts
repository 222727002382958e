// Whether the pages answer the query, as `searchsocket/search/ranking/answerable.py` decides it, by words alone.
import type { AnswerModel } from "../types.js";
import type { Weights } from "./files.js";
import type { Evidence } from "./terms.js";

const MOST_WORDS = 8; // a longer query is never refused
const FEW_WORDS = 2;
const WHOLE = 0.999;

/** Bonuses of the best page. */
export interface Best {
  passage: number;
  names: number;
  exact: number;
}

/** The decision; undefined if the model does not apply. Below `rejectedBelow` it holds only if no page has all words. */
export function answerModel({ answer }: Weights, words: Evidence, best: Best): AnswerModel | undefined {
  if (words.asked > MOST_WORDS || !words.known) return undefined;
  const { share, known, asked } = words;
  const few = asked <= FEW_WORDS ? share : 0;
  const values = [1, share, known, Math.log1p(asked), best.passage, best.names, Math.min(best.exact, 1), few, Number(share >= WHOLE)];
  const features = answer.features.map((feature, at) => ({ ...feature, value: values[at]!, part: feature.weight * values[at]! }));
  return { ...answer, features, logOdds: features.reduce((sum, { part }) => sum + part, 0) };
}

export const isRefused = (model: AnswerModel | undefined, words: Evidence) => model !== undefined && model.logOdds < model.rejectedBelow && words.share < WHOLE;
export const isDoubted = (model: AnswerModel | undefined) => model !== undefined && model.logOdds < model.weakBelow;

/** The confidence of a result of such a query, which is a weak match. */
export const doubted = (confidence: number) => Math.min(0.4 * confidence, 0.19);
