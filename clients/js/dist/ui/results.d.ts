import type { Words } from "../labels/words.js";
import type { Result, SearchAnswer, Section } from "../types.js";
/** What an option opens. */
export interface Opening {
    result: Result;
    /** The place on its page: the result itself, or one of its sections. */
    at: Result | Section;
}
/** Where a result opens: on the host of its own site, or on the one that the element names. */
export declare function siteOf({ origin }: Result, site: string): string;
/** Pages as groups of a listbox, their sections as options below them; each option is a link. Several sites have headings. */
export declare function resultGroups(answer: SearchAnswer, meant: string, words: Words, ownSite: string, openings: WeakMap<Element, Opening>): HTMLElement[];
