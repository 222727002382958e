const LIST = /\/llms(-full(-\d+)?)?\.txt$/;
const NO_INDEX = /<meta[^>]+name=["']?robots["']?[^>]+noindex|<meta[^>]+noindex[^>]+name=["']?robots/i;

/** Return true if the service answers agents at this path. */
export function isAgentFile(path: string): boolean {
  return path.endsWith(".md") || LIST.test(path);
}

/** Return true if the request prefers Markdown to HTML, as agents do and browsers do not. */
export function asksForMarkdown(request: Request): boolean {
  const accept = request.headers.get("accept") ?? "";
  const weight = (type: string): number => {
    const entry = accept.split(",").find((part) => part.trim().toLowerCase().startsWith(type));
    return entry ? Number(/;\s*q=([\d.]+)/.exec(entry)?.[1] ?? 1) : 0;
  };
  const markdown = weight("text/markdown"); // no browser names it, so an equal weight prefers Markdown
  return markdown > 0 && markdown >= weight("text/html");
}

/** Return the address of a page's Markdown: `/docs/a.md`, and `/index.md` for the home page. */
export function markdownPath(path: string): string {
  return path === "/" ? "/index.md" : `${path.replace(/\.html?$/, "").replace(/\/index$/, "") || "/index"}.md`;
}

/** Return a transform that adds links to the Markdown and to the list to the page's head. */
export function linkMarkdown(base: string, path: string): (html: string) => string {
  // `external` stops SvelteKit from prerendering them: they are made from its build.
  const links =
    `<link rel="alternate external" type="text/markdown" href="${base}${markdownPath(path)}">` +
    `<link rel="describedby external" href="${base}/llms.txt">`;
  return (html) => (html.includes("</head>") && !NO_INDEX.test(html) ? html.replace("</head>", () => `${links}</head>`) : html);
}
