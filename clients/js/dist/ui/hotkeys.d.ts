type Key = (event: KeyboardEvent) => void;
/** Cmd/Ctrl-K anywhere and `/` outside of fields call `onKey`; of several on one page the first. Returns what ends it. */
export declare function onHotkey(onKey: Key): () => void;
/**
 * Cmd/Ctrl-K anywhere, or `/` outside of fields.
 *
 * @param isFirst Also if another script has reacted to it.
 */
export declare function isHotkey(event: KeyboardEvent, isFirst?: boolean): boolean;
/** As keyboards of this machine call it. */
export declare function commandKey(): string;
export declare function optionKey(): string;
export {};
