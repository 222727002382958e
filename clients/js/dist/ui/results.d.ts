import type { Words } from "../labels/words.js";
import type { Result, SearchAnswer, Section } from "../types.js";
/** What an option opens. */
export interface Opening {
    result: Result;
    /** The place on its page: the result itself, or one of its sections. */
    at: Result | Section;
}
/** Pages as groups of a listbox, their sections as options below them; each option is a link. */
export declare function resultGroups(answer: SearchAnswer, words: Words, site: string, openings: WeakMap<Element, Opening>): HTMLElement[];
