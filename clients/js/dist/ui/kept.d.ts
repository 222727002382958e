/** A list in this browser's local storage; empty without storage. */
export declare class Kept<T> {
    readonly key: string;
    readonly read: (kept: unknown) => T | null;
    /** @param read Parses an entry; null if it is not ours. */
    constructor(key: string, read: (kept: unknown) => T | null);
    all(): T[];
    set(entries: readonly T[]): void;
}
