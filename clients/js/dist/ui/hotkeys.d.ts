type Key = (event: KeyboardEvent) => void;
/** Call `onKey` on Cmd/Ctrl-K anywhere and on `/` outside fields, for the first element of a page. Returns a function that stops it. */
export declare function onHotkey(onKey: Key): () => void;
/**
 * Return true for Cmd/Ctrl-K anywhere, or `/` outside fields.
 *
 * @param isFirst Also if another script has handled the event.
 */
export declare function isHotkey(event: KeyboardEvent, isFirst?: boolean): boolean;
/** The name of the modifier key on this platform. */
export declare function commandKey(): string;
export declare function optionKey(): string;
export {};
