/** The stem of a folded word. */
export declare function englishStem(word: string): string;
export declare function arabicStem(word: string): string;
