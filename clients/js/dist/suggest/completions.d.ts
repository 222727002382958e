import type { SearchAnswer } from "../types.js";
/**
 * How a query that is still being written may go on: by titles that begin with it, else by words of titles that begin with its
 * last word, where that is none yet.
 *
 * @returns At most `limit`, without the query itself.
 */
export declare function completions(q: string, answer: SearchAnswer, limit?: number): string[];
