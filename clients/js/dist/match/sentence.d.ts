/** Extend a passage to whole sentences within its block. */
export declare function sentenceAround(passage: Range): Range;
