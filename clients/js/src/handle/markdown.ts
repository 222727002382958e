const LIST = /\/llms(-full(-\d+)?)?\.txt$/;
const NO_INDEX = /<meta[^>]+name=["']?robots["']?[^>]+noindex|<meta[^>]+noindex[^>]+name=["']?robots/i;

/** Whether a path is one of those that the service answers agents at. */
export function isAgentFile(path: string): boolean {
  return path.endsWith(".md") || LIST.test(path);
}

/** Whether Markdown is preferred to HTML, as agents say it and browsers do not. */
export function asksForMarkdown(request: Request): boolean {
  const accept = request.headers.get("accept") ?? "";
  const weight = (type: string): number => {
    const entry = accept.split(",").find((part) => part.trim().toLowerCase().startsWith(type));
    return entry ? Number(/;\s*q=([\d.]+)/.exec(entry)?.[1] ?? 1) : 0;
  };
  const markdown = weight("text/markdown"); // no browser names it, so a draw is not one
  return markdown > 0 && markdown >= weight("text/html");
}

/** Where the Markdown of a page is: `/docs/a.md`, and `/index.md` of the home page. */
export function markdownPath(path: string): string {
  return path === "/" ? "/index.md" : `${path.replace(/\.html?$/, "").replace(/\/index$/, "") || "/index"}.md`;
}

/** What puts the links of a page to its Markdown, and to the list, into its head. */
export function linkMarkdown(base: string, path: string): (html: string) => string {
  // `external` keeps SvelteKit from fetching them when it prerenders: they are made from what it builds.
  const links =
    `<link rel="alternate external" type="text/markdown" href="${base}${markdownPath(path)}">` +
    `<link rel="describedby external" href="${base}/llms.txt">`;
  return (html) => (html.includes("</head>") && !NO_INDEX.test(html) ? html.replace("</head>", () => `${links}</head>`) : html);
}
