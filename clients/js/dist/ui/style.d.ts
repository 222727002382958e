/** One sheet for all elements of the page; constructed, so that a strict content security policy has nothing to refuse. */
export declare function style(): CSSStyleSheet;
