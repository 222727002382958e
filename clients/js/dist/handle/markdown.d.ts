/** Whether a path is one of those that the service answers agents at. */
export declare function isAgentFile(path: string): boolean;
/** Whether Markdown is preferred to HTML, as agents say it and browsers do not. */
export declare function asksForMarkdown(request: Request): boolean;
/** Where the Markdown of a page is: `/docs/a.md`, and `/index.md` of the home page. */
export declare function markdownPath(path: string): string;
/** What puts the links of a page to its Markdown, and to the list, into its head. */
export declare function linkMarkdown(base: string, path: string): (html: string) => string;
