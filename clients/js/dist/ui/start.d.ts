import type { Words } from "../labels/words.js";
import type { Settings } from "./settings.js";
/** What happens around the list that is there before anything is asked. */
interface Host {
    settings: () => Settings;
    words: () => Words;
    search: (q: string) => void;
    /** A page is opened. */
    close: () => void;
    /** The list is another now; the option that has this key shall be active, else the one that follows. */
    changed: (key: string) => void;
}
/** What there is before anything is asked: pinned pages, recent searches and pages, and what the site suggests. */
export declare class Start {
    #private;
    readonly host: Host;
    constructor(host: Host);
    groups(): HTMLElement[];
    /** Whether there is something that can be cleared. */
    get isKept(): boolean;
    clear(): void;
    /** Whether a key was for the option that is active. */
    key({ key, code, altKey, ctrlKey, metaKey }: KeyboardEvent, option: Element | undefined): boolean;
    /** Whether a click was on one of these options. */
    clicked(event: MouseEvent, option: Element): boolean;
}
export {};
