/** Return true if the service answers agents at this path. */
export declare function isAgentFile(path: string): boolean;
/** Return true if the request prefers Markdown to HTML, as agents do and browsers do not. */
export declare function asksForMarkdown(request: Request): boolean;
/** Return the address of a page's Markdown: `/docs/a.md`, and `/index.md` for the home page. */
export declare function markdownPath(path: string): string;
/** Return a transform that adds links to the Markdown and to the list to the page's head. */
export declare function linkMarkdown(base: string, path: string): (html: string) => string;
