// What a cold index of the original does without embedding, as we read its description: HTML files in, mirror files
// and chunks out, in one thread. `node main.js JOB.json` prints one line of JSON.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { chunkPage } from "./chunk.js";
import { extractor } from "./extract.js";
import { mirrorText } from "./mirror.js";

const job = JSON.parse(readFileSync(process.argv[2], "utf8"));
const started = process.cpuUsage();
const extract = extractor(job.settings);

const pages = [];
for (const file of job.files) {
  const page = extract(urlOf(file), readFileSync(join(job.build, file), "utf8"));
  if (page) pages.push(page);
}

const incoming = new Map();
for (const page of pages) {
  for (const target of page.links) {
    if (target !== page.url) incoming.set(target, (incoming.get(target) ?? 0) + 1);
  }
}

let chunks = 0;
let characters = 0;
for (const page of pages) {
  page.incomingLinks = incoming.get(page.url) ?? 0;
  const path = join(job.out, page.url === "/" ? "index.md" : `${page.url}.md`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, mirrorText(page));
  chunks += chunkPage(page, job.settings).length;
  characters += page.markdown.length;
}

const spent = process.cpuUsage(started);
console.log(
  JSON.stringify({ cpu_s: (spent.user + spent.system) / 1e6, pages: pages.length, chunks, characters }),
);

function urlOf(file) {
  const path = "/" + file.replace(/\.html$/, "").replace(/(^|\/)index$/, "");
  return path.length > 1 ? path.replace(/\/$/, "") : path;
}
