/** The queries that led this visitor somewhere, newest first. */
export declare const recent: {
    all: () => string[];
    add(q: string): void;
    remove: (q: string) => void;
    clear: () => void;
};
export interface OpenedPage {
    href: string;
    title: string;
    /** "" where the page was opened at its top. */
    section: string;
    isPinned: boolean;
}
/** The pages that this visitor opened from the search: those that are pinned, and the newest others. */
export declare const pages: {
    all: () => OpenedPage[];
    add({ href, title, section }: Omit<OpenedPage, "isPinned">): void;
    pin: (href: string) => void;
    remove: (href: string) => void;
    /** What was pinned was meant to stay. */
    clear: () => void;
};
