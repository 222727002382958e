import type { Words } from "../labels/words.js";
import type { Result, SearchAnswer, SearchRequest } from "../types.js";
import type { Settings } from "./settings.js";
type Option = readonly [value: string, label: string];
/** The row of menus by which an answer is narrowed: what there is to choose comes from the answer without filters. */
export declare class Filters {
    #private;
    readonly settings: () => Settings;
    readonly words: () => Words;
    readonly onChange: () => void;
    readonly element: HTMLDivElement;
    constructor(settings: () => Settings, words: () => Words, onChange: () => void);
    get isSet(): boolean;
    clear(): void;
    /** The part of a request that the filters are. */
    request(): Partial<SearchRequest>;
    /** Offer what an answer has. */
    update(answer: SearchAnswer): void;
}
/** A path up to the folder that looks like a version; "" if none does. The service decides whether it is one. */
export declare function versionPath(path: string): string;
/** The directories in which results part: those below the last one that all have in common. */
export declare function directoriesOf(results: readonly Pick<Result, "url">[], within: string): Option[];
/** A part of an address as words: `getting-started` is "Getting started". */
export declare function readable(segment: string): string;
export {};
