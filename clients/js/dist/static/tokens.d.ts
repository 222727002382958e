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
}
export declare function setStopWords(words: readonly string[], before: readonly string[]): void;
/** Lower case without diacritics. */
export declare function fold(word: string): string;
export declare function stem(word: string): string;
/** All forms of one written word, the exact one first. */
export declare function wordForms(word: string): string[];
/** The words of a text as the index keeps them, in order. */
export declare function indexText(text: string): string[];
export declare function parseQuery(text: string): ParsedQuery;
/** A title or heading as names are compared. */
export declare function nameOf(text: string): string;
/** The names by which a visitor may type this title. */
export declare function namesOf(text: string): string[];
/** The names that a query may be, the whole of it first. */
export declare function possibleNames(text: string): string[];
/** The name that a query in one piece spells: "quick start" for `quickStart`; "" for several words or a single one. */
export declare function spelledName(text: string): string;
