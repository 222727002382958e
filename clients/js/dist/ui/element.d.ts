import type { Labels } from "../labels/labels.js";
import { Panel } from "./panel.js";
declare const Base: {
    new (): HTMLElement;
    prototype: HTMLElement;
};
/** Base of both elements: attributes, language, shortcuts, and a panel that is created on demand. */
export declare abstract class SearchElement extends Base {
    #private;
    static readonly observedAttributes: readonly ["endpoint", "static", "site", "scope", "path-prefix", "directories", "facets", "version", "missing-url", "placeholder", "max-results", "recent", "marks", "suggestions", "beacon", "lang", "theme", "hotkeys"];
    /** Show the search and focus its field. */
    abstract open(): void;
    abstract close(): void;
    abstract get isOpen(): boolean;
    /** Add the elements to the shadow root, once. */
    protected abstract build(root: ShadowRoot): void;
    protected abstract relabel(labels: Labels): void;
    /** Texts that replace the shipped ones, see `Labels`. */
    get labels(): Partial<Labels>;
    set labels(labels: Partial<Labels>);
    /** Open the search and run a query. */
    search(q: string): void;
    connectedCallback(): void;
    disconnectedCallback(): void;
    attributeChangedCallback(name: string): void;
    protected get hasPanel(): boolean;
    /** For scripts that extend the search. */
    get panel(): Panel;
    /** The content of the panel changed. */
    protected fit(): void;
    /** Typing began. */
    protected shown(): void;
}
export {};
