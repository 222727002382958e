// The mirror file of a page: front matter, then Markdown.

/** The whole text of the file. */
export function mirrorText(page) {
  const front = {
    url: page.url,
    title: page.title,
    scope: "main",
    generatedAt: new Date().toISOString(),
    incomingLinks: page.incomingLinks,
    outgoingLinks: page.links.length,
    depth: page.depth,
    tags: page.tags,
  };
  const lines = Object.entries(front).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return ["---", ...lines, "---", "", page.markdown].join("\n");
}
