export interface QueryWord {
    exact: string;
    /** "" for an identifier. */
    stem: string;
    parts: readonly string[];
    isStop: boolean;
    pieces: readonly string[];
}
export interface ParsedQuery {
    words: readonly QueryWord[];
    order: readonly QueryWord[];
    isOpen: boolean;
    /** Texts in quotes, as the index has their words. */
    phrases: readonly (readonly string[])[];
    /** The operators of a query without words. */
    signs: readonly string[];
}
export declare function setStopWords(words: readonly string[], before: readonly string[]): void;
/** The parts of a word in scripts without spaces, and those beside them. */
export declare function runsOf(word: string): {
    start: number;
    written: string;
    isUnspaced: boolean;
}[];
export declare const hasUnspaced: (text: string) => boolean;
/** Lower case without diacritics. */
export declare function fold(word: string): string;
export declare function stem(word: string): string;
/** All forms of one written word, the exact one first. */
export declare function wordForms(word: string): string[];
/** The words of a text as the index keeps them, in order. */
export declare function indexText(text: string): string[];
/** The words that a query excludes, each with its minus; none if nothing else remains of it. */
export declare function excludedWords(text: string): string[];
export declare function withoutWords(text: string, words: readonly string[]): string;
export declare function parseQuery(typed: string): ParsedQuery;
/** A title or heading as names are compared. */
export declare function nameOf(text: string): string;
/** The names by which a visitor may type this title. */
export declare function namesOf(text: string): string[];
/** The names that a query may be, the whole of it first. */
export declare function possibleNames(text: string): string[];
/** The name that a query in one piece spells: "quick start" for `quickStart`; "" for several words or a single one. */
export declare function spelledName(text: string): string;
