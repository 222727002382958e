import type { Result } from "../types.js";
/** How often a word occurs in results, and how the site spells it: "Kubernetes", "takeLatest", but "rollback". */
export declare class Spelling {
    #private;
    count: number;
    add(form: string, isFirst: boolean): void;
    /** As it is written most often within sentences, whose first word has a capital whatever it is; "" where it is nowhere else. */
    get within(): string;
    get form(): string;
}
/** The words of results by their folded form. */
export declare function spellingsOf(results: readonly Pick<Result, "title" | "sectionTitle" | "snippet">[]): Map<string, Spelling>;
