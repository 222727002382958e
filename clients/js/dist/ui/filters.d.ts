import type { Words } from "../labels/words.js";
import type { Result, SearchAnswer, SearchRequest } from "../types.js";
import type { Settings } from "./settings.js";
type Option = readonly [value: string, label: string];
/** The row of filter menus; their choices come from the answer without filters. */
export declare class Filters {
    #private;
    readonly settings: () => Settings;
    readonly words: () => Words;
    readonly onChange: () => void;
    readonly element: HTMLDivElement;
    constructor(settings: () => Settings, words: () => Words, onChange: () => void);
    get isSet(): boolean;
    clear(): void;
    /** The filters as part of a request. */
    request(): Partial<SearchRequest>;
    /** Offer the choices of an answer. */
    update(answer: SearchAnswer): void;
}
/** The path up to a folder that looks like a version; "" if there is none. The service verifies it. */
export declare function versionPath(path: string): string;
/** The directories that separate results: those below their last common directory. */
export declare function directoriesOf(results: readonly Pick<Result, "url">[], within: string): Option[];
/** Words of a path segment: `getting-started` becomes "Getting started". */
export declare function readable(segment: string): string;
export {};
