/** The queries that led this visitor somewhere, newest first; kept in this browser and nowhere else. */
export declare const recent: {
    all(): string[];
    add(q: string): void;
    remove(q: string): void;
    clear(): void;
};
