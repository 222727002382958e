/** The list of a combobox: the focus stays in the field, which names the active option. */
export declare class Listbox {
    #private;
    readonly input: HTMLInputElement;
    readonly list: HTMLElement;
    active: number;
    constructor(input: HTMLInputElement, list: HTMLElement);
    get option(): HTMLElement | undefined;
    /**
     * @param active The option that Enter opens; -1 = none.
     * @param keepsPlace True: keep the scroll position.
     */
    show(groups: readonly HTMLElement[], active: number, keepsPlace?: boolean): void;
    /** Select the option with a key. */
    activate(key: string): void;
    /** Handle a key; true if it belongs to the list. */
    key({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean;
    /** Open the active option, in another tab with the usual modifier keys. */
    pick({ ctrlKey, metaKey, shiftKey }?: Partial<KeyboardEvent>): void;
}
