export interface Version {
    /** Without zeros at the end. */
    numbers: readonly string[];
    preview: string;
    /** A single number, which may be none. */
    isBare: boolean;
}
/** The version that a word is, in any spelling. */
export declare function versionOf(word: string): Version | undefined;
/** Whether a word of a query is a version: a number with a `v` or a dot. Others may count something. */
export declare const isVersion: (word: string) => boolean;
export declare const versionsOfQuery: (q: string) => Version[];
export declare function versionsOfPage(title: string, url: string): Version[];
/** How well a page's versions match those of a query: 1 for the same, 0 without any, below 0 for another one; the mean of several. */
export declare function versionMatch(query: readonly Version[], page: readonly Version[]): number;
