type Key = (event: KeyboardEvent) => void;
/** Cmd/Ctrl-K anywhere and `/` outside of fields call `onKey`; of several on one page the first. Returns what ends it. */
export declare function onHotkey(onKey: Key): () => void;
/** As keyboards of this machine call it. */
export declare function commandKey(): string;
export declare function optionKey(): string;
export {};
