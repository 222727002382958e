/** The whole sentence, or sentences, that a passage is part of, within its block. */
export declare function sentenceAround(passage: Range): Range;
