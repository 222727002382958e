import type { SearchAnswer } from "../types.js";
/**
 * The query with its slips corrected by words of the results that it found all the same, spelled as the site spells them; ""
 * where nothing looks like a slip.
 *
 * A word that begins or continues one of theirs is none.
 */
export declare function didYouMean(q: string, answer: SearchAnswer): string;
