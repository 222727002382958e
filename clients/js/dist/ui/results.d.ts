import type { Words } from "../labels/words.js";
import type { Result, SearchAnswer, Section } from "../types.js";
/** Target of an option. */
export interface Opening {
    result: Result;
    /** The target on its page: the result itself, or one of its sections. */
    at: Result | Section;
}
/** Return the address of a result, on its site's host or on that of the element. */
export declare function siteOf({ origin }: Result, site: string): string;
/** Render pages as groups of a listbox with sections as options. Each option is a link; several sites have headings. */
export declare function resultGroups(answer: SearchAnswer, meant: string, words: Words, ownSite: string, openings: WeakMap<Element, Opening>): HTMLElement[];
