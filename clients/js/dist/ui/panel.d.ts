import { Words } from "../labels/words.js";
import { Frame } from "./frame.js";
import type { Settings } from "./settings.js";
/** What an element does around its panel. */
export interface Host {
    settings: () => Settings;
    /** Announces what happened; false where a listener prevented what follows. */
    emit: (name: string, detail: unknown) => boolean;
    /** A result was opened, or Escape pressed. */
    close: () => void;
    isOpen: () => boolean;
    /** There is something to be seen. */
    open: () => void;
    /** What it shows has changed, and with it perhaps its height. */
    fit: () => void;
}
/** The search itself: a field, what it finds, and what is said when it finds nothing. */
export declare class Panel {
    #private;
    readonly host: Host;
    readonly frame: Frame;
    constructor(host: Host);
    set words(words: Words);
    /** Find a query, as if it had been typed. */
    search(q: string): void;
    /** Before it is seen: with what was typed last, or the recent searches. */
    refresh(): void;
    /** Nothing is awaited any more. */
    rest(): void;
}
