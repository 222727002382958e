/** Show the dialog's button in the header of the page, else above its text; never over either. */
export declare function put(dialog: HTMLElement): void;
