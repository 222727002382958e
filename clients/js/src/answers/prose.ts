import { h } from "../ui/dom.js";

const INLINE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^\]\n]+)\]\(([^()\s]+)\)/g;

/** Nodes of a sentence: code, bold text, and links for which `hrefOf` returns an address; anything else is text. */
export function prose(text: string, hrefOf: (url: string) => string | null): (Node | string)[] {
  const nodes: (Node | string)[] = [];
  let end = 0;
  for (const { 0: whole, 1: code, 2: strong, 3: label, 4: url, index } of text.matchAll(INLINE)) {
    nodes.push(text.slice(end, index));
    const href = url && hrefOf(url);
    if (code) nodes.push(h("code", { dir: "ltr" }, code));
    else if (strong) nodes.push(h("strong", {}, strong));
    else nodes.push(href ? h("a", { href }, label!) : label!);
    end = index + whole.length;
  }
  return [...nodes, text.slice(end)].filter((node) => node !== "");
}
