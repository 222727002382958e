import type { Labels } from "../labels/labels.js";
import { Panel } from "./panel.js";
declare const Base: {
    new (): HTMLElement;
    prototype: HTMLElement;
};
/** What both elements have in common: attributes, language, shortcuts, and a panel that is made when it is needed. */
export declare abstract class SearchElement extends Base {
    #private;
    static readonly observedAttributes: readonly ["endpoint", "static", "site", "scope", "path-prefix", "directories", "facets", "version", "missing-url", "placeholder", "max-results", "recent", "marks", "suggestions", "beacon", "lang", "theme", "hotkeys"];
    /** Show the search and put the focus into its field. */
    abstract open(): void;
    abstract close(): void;
    abstract get isOpen(): boolean;
    /** Put the elements into the shadow root, once. */
    protected abstract build(root: ShadowRoot): void;
    protected abstract relabel(labels: Labels): void;
    /** Texts in place of the shipped ones, see `Labels`. */
    get labels(): Partial<Labels>;
    set labels(labels: Partial<Labels>);
    /** Open, and find a query. */
    search(q: string): void;
    connectedCallback(): void;
    disconnectedCallback(): void;
    attributeChangedCallback(name: string): void;
    protected get hasPanel(): boolean;
    protected get panel(): Panel;
    /** What the panel shows has changed. */
    protected fit(): void;
    /** Typing began. */
    protected shown(): void;
}
export {};
