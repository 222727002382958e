import type { Result } from "../types.js";
/** Frequency of a word in results, and its spelling on the site: "Kubernetes", "takeLatest", but "rollback". */
export declare class Spelling {
    #private;
    count: number;
    add(form: string, isFirst: boolean): void;
    /** The most frequent spelling within sentences; first words are capitalised anyway. "" if it occurs only there. */
    get within(): string;
    get form(): string;
}
/** The words of results by their folded form. */
export declare function spellingsOf(results: readonly Pick<Result, "title" | "sectionTitle" | "snippet">[]): Map<string, Spelling>;
