// Answers requests from a static export, for tests and benchmarks: reads {folder, requests: {id: request}}, writes {id: answer}.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openIndex, search, searchSites } from "../dist/static-worker.js";

const [input, output] = process.argv.slice(2);
const { folder, requests } = JSON.parse(readFileSync(input, "utf8"));
const opened = (below, head) => openIndex(head, async (name) => new Uint8Array(readFileSync(join(folder, below, name))).buffer);
const entry = JSON.parse(readFileSync(join(folder, "searchsocket.json"), "utf8"));
const sites = [];
for (const { folder: below, head, origin, base } of entry.sites ?? [{ ...entry, folder: "" }]) {
  const index = await opened(below, head);
  sites.push({ origin, search: (request) => search(index, request, base) });
}
const answers = {};
for (const [id, request] of Object.entries(requests)) {
  try {
    answers[id] = await (entry.sites ? searchSites(sites, request) : sites[0].search(request));
  } catch (error) {
    answers[id] = { error: { code: error.code, message: error.message } };
  }
}
writeFileSync(output, JSON.stringify(answers));
