/** Nodes of a sentence: code, bold text, and links for which `hrefOf` returns an address; anything else is text. */
export declare function prose(text: string, hrefOf: (url: string) => string | null): (Node | string)[];
