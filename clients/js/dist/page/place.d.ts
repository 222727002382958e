/** Show the dialog's button in the page's header, else above its text, without covering anything. */
export declare function put(dialog: HTMLElement): void;
