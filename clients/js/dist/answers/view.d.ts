import type { Panel } from "../ui/panel.js";
/** The answers of a search in sentences: an option above the results, and the view that it opens instead of them. */
export declare class AnswerView {
    #private;
    readonly host: HTMLElement;
    readonly panel: Panel;
    constructor(host: HTMLElement, panel: Panel);
    get isOpen(): boolean;
    /** Show the view and ask. */
    open(q: string): void;
}
