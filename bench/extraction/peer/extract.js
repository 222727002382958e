// One HTML page: metadata, links, and the Markdown of its main content.
import { load } from "cheerio";
import TurndownService from "turndown";
import { gfm } from "turndown-plugin-gfm";

/** A function (url, html) -> page, or null for a page that is not to be indexed. */
export function extractor(settings) {
  // Made once for all pages, which is in the peer's favour.
  const turndown = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced" });
  turndown.use(gfm);

  return (url, html) => {
    const $ = load(html);
    if (isNoindex($, settings)) return null;
    const title = titleOf($, settings) || url;
    const main = $(settings.main_selector).first();
    const root = (main.length ? main : $("body").first()).clone();
    for (const tag of settings.drop_tags) root.find(tag).remove();
    for (const selector of settings.drop_selectors) root.find(selector).remove();
    root.find(`[${settings.ignore_attr}]`).remove();
    const links = linksOf($, root, url);
    const markdown = normalised(turndown.turndown(root.html() ?? ""));
    if (!markdown.trim()) return null;
    const description = attribute($, "meta[name='description']") || attribute($, "meta[property='og:description']");
    const segments = url.split("/").filter(Boolean);
    return { url, title, description, markdown, links, tags: segments.slice(0, 1), depth: segments.length };
  };
}

function isNoindex($, settings) {
  return /\bnoindex\b/i.test(attribute($, "meta[name='robots']")) || $(`[${settings.noindex_attr}]`).length > 0;
}

function titleOf($, settings) {
  return (
    attribute($, "meta[property='og:title']") ||
    oneLine($(`${settings.main_selector} h1`).first().text()) ||
    oneLine($("title").first().text())
  );
}

function linksOf($, root, url) {
  const base = new URL(url, "https://site.invalid");
  const found = new Set();
  root.find("a[href]").each((_, anchor) => {
    const href = $(anchor).attr("href");
    if (!href || href.startsWith("#") || !URL.canParse(href, base)) return;
    const target = new URL(href, base);
    if (target.origin === base.origin) found.add(target.pathname.replace(/\/$/, "") || "/");
  });
  return [...found];
}

function attribute($, selector) {
  return ($(selector).attr("content") ?? "").trim();
}

function oneLine(text) {
  return text.replace(/\s+/g, " ").trim();
}

/** No blanks at line ends, at most one blank line. */
function normalised(markdown) {
  return markdown.replace(/\r\n?/g, "\n").replace(/[ \t]+$/gm, "").replace(/\n{3,}/g, "\n\n").trim() + "\n";
}
