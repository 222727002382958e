import type { SearchAnswer } from "./types.js";
/** The newest answers by request: at most `size`, none older than `maxAgeMs`, all of one generation per scope. */
export declare class AnswerCache {
    #private;
    readonly size: number;
    readonly maxAgeMs: number;
    readonly now: () => number;
    constructor(size: number, maxAgeMs: number, now?: () => number);
    get(key: string): SearchAnswer | undefined;
    set(key: string, answer: SearchAnswer): void;
    clear(): void;
    get length(): number;
}
