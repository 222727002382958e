import { Words } from "../labels/words.js";
import type { SearchAnswer, Section } from "../types.js";
import { Filters } from "./filters.js";
import { Frame } from "./frame.js";
import type { Settings } from "./settings.js";
/** Callbacks of the element around the panel. */
export interface Host {
    settings: () => Settings;
    /** Dispatch an event; false if a listener prevented the default. */
    emit: (name: string, detail: unknown) => boolean;
    /** A result was opened, or Escape pressed. */
    close: () => void;
    isOpen: () => boolean;
    /** The panel has content to show. */
    open: () => void;
    /** The content changed, and maybe the height. */
    fit: () => void;
}
/** The search: the field, the results, and the messages without results. */
export declare class Panel {
    #private;
    readonly host: Host;
    readonly frame: Frame;
    words: Words;
    /** Options above the results of an answer. */
    above: (answer: SearchAnswer) => HTMLElement[];
    readonly filters: Filters;
    constructor(host: Host);
    /** Speak another language. */
    speak(words: Words): void;
    /** Run a query as if it had been typed. */
    search(q: string): void;
    /** Prepare the panel before it is shown: the last query, or recent searches. */
    refresh(): void;
    /** Cancel pending work. */
    rest(): void;
    /**
     * Show the answer again.
     *
     * @param from Number of results that are already shown.
     */
    show(from?: number): void;
    /** Before the browser opens a link: on this host, the page marks the match; elsewhere, the text fragment does. */
    follow(event: MouseEvent, link: HTMLAnchorElement, at: Pick<Section, "href" | "anchor" | "snippet" | "marks">, q: string, site: string): void;
}
