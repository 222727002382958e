/** What the component says. */
export interface PageActionLabels {
    copy: string;
    copied: string;
    failed: string;
    view: string;
    /** `{name}` is the assistant. */
    open: string;
    /** What an assistant is asked; `{url}` is the page's Markdown. */
    prompt: string;
}
declare const Base: {
    new (): HTMLElement;
    prototype: HTMLElement;
};
/**
 * Attributes: `markdown` (address of the page's Markdown; default: what the page's head names, else its address with
 * `.md`), `assistants` (names, separated by spaces; `none` for none). Parts: `copy`, `view`, `assistant`.
 */
export declare class PageActions extends Base {
    #private;
    /** Texts in place of the English ones. */
    get labels(): Partial<PageActionLabels>;
    set labels(labels: Partial<PageActionLabels>);
    connectedCallback(): void;
    /** The address of the page's Markdown, whatever page a client-side router shows by now. */
    get source(): string;
    /** Put the page's Markdown into the clipboard; false where that was not possible. */
    copy(): Promise<boolean>;
}
declare global {
    interface HTMLElementTagNameMap {
        "searchsocket-page-actions": PageActions;
    }
}
export {};
