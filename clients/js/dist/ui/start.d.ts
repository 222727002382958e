import type { Words } from "../labels/words.js";
import type { Settings } from "./settings.js";
/** Callbacks of the start list. */
interface Host {
    settings: () => Settings;
    words: () => Words;
    search: (q: string) => void;
    /** A page was opened. */
    close: () => void;
    /** The list changed; select the option with this key, else the next one. */
    changed: (key: string) => void;
}
/** The list before the first query: pinned pages, recent searches and pages, and suggestions of the site. */
export declare class Start {
    #private;
    readonly host: Host;
    constructor(host: Host);
    groups(): HTMLElement[];
    /** True if the list has entries to clear. */
    get isKept(): boolean;
    clear(): void;
    /** Handle a key; true if it was for the active option. */
    key({ key, code, altKey, ctrlKey, metaKey }: KeyboardEvent, option: Element | undefined): boolean;
    /** Handle a click; true if it was on one of these options. */
    clicked(event: MouseEvent, option: Element): boolean;
}
export {};
