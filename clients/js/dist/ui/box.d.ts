import type { Labels } from "../labels/labels.js";
import { SearchElement } from "./element.js";
/** A search field in the page, with results below it. */
export declare class SearchBox extends SearchElement {
    #private;
    protected build(root: ShadowRoot): void;
    protected relabel(_: Labels): void;
    protected shown(): void;
    get isOpen(): boolean;
    open(): void;
    close(): void;
}
