/** Find a phrase: after the anchor first, then anywhere. */
export declare function findPhrase(root: Node, phrase: string, anchor: Element | null): Range | null;
/** Find words of a query in the section after an anchor, or on the whole page without one. */
export declare function findWords(root: Node, words: readonly string[], anchor: Element | null): Range[];
