/** One style sheet for all elements; constructed, so that a strict content security policy allows it. */
export declare function style(): CSSStyleSheet;
