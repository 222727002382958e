/** Queries with an opened result, newest first. */
export declare const recent: {
    all: () => string[];
    add(q: string): void;
    remove: (q: string) => void;
    clear: () => void;
};
export interface OpenedPage {
    href: string;
    title: string;
    /** "" if the page was opened at its top. */
    section: string;
    isPinned: boolean;
}
/** Pages opened from the search: all pinned ones, and the newest others. */
export declare const pages: {
    all: () => OpenedPage[];
    add({ href, title, section }: Omit<OpenedPage, "isPinned">): void;
    pin: (href: string) => void;
    remove: (href: string) => void;
    /** Pinned pages stay. */
    clear: () => void;
};
