import type { SearchAnswer } from "../types.js";
/**
 * Correct typos of the query with words of its results, in the site's spelling; ""
 * if nothing looks like a typo.
 *
 * A prefix or extension of a result's word is no typo.
 */
export declare function didYouMean(q: string, answer: SearchAnswer): string;
