/** The list of a combobox: the focus stays in its field, which names the option that is active. */
export declare class Listbox {
    #private;
    readonly input: HTMLInputElement;
    readonly list: HTMLElement;
    active: number;
    constructor(input: HTMLInputElement, list: HTMLElement);
    get option(): HTMLElement | undefined;
    /**
     * @param active The option that Enter opens; -1 = none.
     * @param keepsPlace Whether the list stays where it was scrolled to.
     */
    show(groups: readonly HTMLElement[], active: number, keepsPlace?: boolean): void;
    /** Choose the option that has a key. */
    activate(key: string): void;
    /** Whether a key was one of the list's. */
    key({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean;
    /** Open the active option, in another tab where the keys that are held say so. */
    pick({ ctrlKey, metaKey, shiftKey }?: Partial<KeyboardEvent>): void;
}
