import type { SearchError } from "../errors.js";
import type { Labels } from "../labels/labels.js";
import type { Words } from "../labels/words.js";
import type { SearchAnswer } from "../types.js";
interface Around {
    meant: string;
    completions: readonly string[];
    isFiltered: boolean;
    missing: string;
    hasMore: boolean;
}
/** The elements of a search, and what stands in them around the results. */
export declare class Frame {
    #private;
    readonly filters: HTMLElement;
    readonly input: HTMLInputElement;
    readonly clear: HTMLButtonElement;
    readonly list: HTMLDivElement;
    readonly suggestions: HTMLDivElement;
    readonly bar: HTMLElement;
    readonly popup: HTMLElement;
    /** What Arrow Right at the end of the query makes of it. */
    completion: string;
    constructor(filters: HTMLElement);
    /** Everything that stays the same in one language. */
    label({ labels }: Words, placeholder: string): void;
    /** An answer is awaited; what is there stays, so that nothing jumps. */
    busy(isBusy: boolean, labels: Labels): void;
    /** Nothing is typed yet: without entries to begin with, there is only the field. */
    start(words: Words, hasEntries: boolean, isKept: boolean): void;
    answered(answer: SearchAnswer, words: Words, around: Around): void;
    /** @param isFile The page was opened from disk, and asks for files. */
    failed(error: SearchError, isFile: boolean, words: Words): void;
}
export {};
