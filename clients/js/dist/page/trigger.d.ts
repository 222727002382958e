/** The theme's search field or button that an event is for. */
export declare function triggerOf({ target }: Event): Element | null;
/** Whether a visitor sees a search field or button of the theme. */
export declare function hasTrigger(): boolean;
export declare function isSeen(element: Element): boolean;
