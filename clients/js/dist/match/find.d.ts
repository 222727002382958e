/** Where a phrase stands: after the anchor first, then anywhere. */
export declare function findPhrase(root: Node, phrase: string, anchor: Element | null): Range | null;
/** Where words of a query stand in the section after an anchor, or on the page where there is none. */
export declare function findWords(root: Node, words: readonly string[], anchor: Element | null): Range[];
