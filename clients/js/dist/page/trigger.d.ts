/** Return the theme's search field or button of an event. */
export declare function triggerOf({ target }: Event): Element | null;
/** Return true if a search field or button of the theme is visible. */
export declare function hasTrigger(): boolean;
export declare function isSeen(element: Element): boolean;
