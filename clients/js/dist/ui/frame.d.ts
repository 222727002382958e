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
/** The elements of a search, and the texts around the results. */
export declare class Frame {
    #private;
    readonly filters: HTMLElement;
    readonly input: HTMLInputElement;
    readonly clear: HTMLButtonElement;
    readonly list: HTMLDivElement;
    readonly suggestions: HTMLDivElement;
    readonly bar: HTMLElement;
    readonly popup: HTMLElement;
    /** The query that Arrow Right completes. */
    completion: string;
    constructor(filters: HTMLElement);
    /** Set all texts that depend only on the language. */
    label({ labels }: Words, placeholder: string): void;
    /** An answer is pending; current results stay, so that the layout does not shift. */
    busy(isBusy: boolean, labels: Labels): void;
    /** The query is empty; without start entries, only the field is shown. */
    start(words: Words, hasEntries: boolean, isKept: boolean): void;
    answered(answer: SearchAnswer, words: Words, around: Around): void;
    /** @param isFile The page was opened from disk and uses a static export. */
    failed(error: SearchError, isFile: boolean, words: Words): void;
}
export {};
