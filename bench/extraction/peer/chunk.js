// Mirror Markdown to chunks: at headings first, then between blocks; code, tables and quotes stay whole.
import { createHash } from "node:crypto";

const FENCE = /^\s*(```|~~~)/;
const HEADING = /^(#{1,6})\s+(.+)$/;

/** The chunks of one page, with the hashes by which embeddings and records are reused. */
export function chunkPage(page, settings) {
  const pieces = sections(page.markdown, settings.heading_path_depth).flatMap((section) =>
    split(section.text, settings).map((text) => ({ ...section, text })),
  );
  return pieces.map((piece, ordinal) => ({
    url: page.url,
    title: page.title,
    depth: page.depth,
    incomingLinks: page.incomingLinks,
    tags: page.tags,
    ordinal,
    sectionTitle: piece.title,
    headingPath: piece.path,
    chunkText: piece.text,
    snippet: plain(piece.text).slice(0, 220),
    chunkKey: digest("sha1", `main|${page.url}|${ordinal}|${piece.title.toLowerCase()}`),
    contentHash: digest("sha256", `${page.title} ${piece.title} ${piece.text.replace(/\s+/g, " ").trim()}`),
  }));
}

function sections(markdown, depth) {
  const found = [];
  const stack = [];
  let current = { title: "", path: [], lines: [] };
  let fenced = false;
  for (const line of markdown.split("\n")) {
    if (FENCE.test(line)) fenced = !fenced;
    const heading = fenced ? null : HEADING.exec(line);
    if (heading) {
      found.push(current);
      stack.length = heading[1].length - 1;
      stack.push(heading[2].trim());
      current = { title: heading[2].trim(), path: stack.filter(Boolean).slice(0, depth), lines: [] };
    }
    current.lines.push(line);
  }
  found.push(current);
  return found
    .map(({ title, path, lines }) => ({ title, path, text: lines.join("\n").trim() }))
    .filter((section) => section.text);
}

function split(text, settings) {
  if (text.length <= settings.max_chars) return [text];
  const chunks = [];
  let current = "";
  for (const block of blocks(text)) {
    if (current && current.length + 2 + block.length > settings.max_chars) {
      chunks.push(current);
      const overlap = current.slice(-settings.overlap_chars).trim();
      current = overlap.length + 2 + block.length <= settings.max_chars ? `${overlap}\n\n${block}` : block;
    } else {
      current = current ? `${current}\n\n${block}` : block;
    }
  }
  return current ? [...chunks, current] : chunks;
}

/** Paragraphs, and whole fences; tables and quotes hold no blank lines. */
function blocks(text) {
  const found = [];
  let lines = [];
  let fenced = false;
  for (const line of text.split("\n")) {
    if (FENCE.test(line)) fenced = !fenced;
    if (!fenced && !line.trim()) {
      if (lines.length) found.push(lines.join("\n"));
      lines = [];
    } else {
      lines.push(line);
    }
  }
  if (lines.length) found.push(lines.join("\n"));
  return found;
}

function plain(markdown) {
  return markdown
    .replace(/```[\s\S]*?```/g, " ")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[#*_`>|]/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}

function digest(algorithm, text) {
  return createHash(algorithm).update(text).digest("hex");
}
