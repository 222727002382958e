/** A list that this browser keeps for this visitor, and nobody else sees; where it keeps nothing, the list is empty. */
export declare class Kept<T> {
    readonly key: string;
    readonly read: (kept: unknown) => T | null;
    /** @param read One entry, or null where it is not ours. */
    constructor(key: string, read: (kept: unknown) => T | null);
    all(): T[];
    set(entries: readonly T[]): void;
}
