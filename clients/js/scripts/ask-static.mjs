// Answers requests from a static export, for tests and benchmarks: reads {folder, requests: {id: request}}, writes {id: answer}.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openIndex, search } from "../dist/static-worker.js";

const [input, output] = process.argv.slice(2);
const { folder, requests } = JSON.parse(readFileSync(input, "utf8"));
const read = async (name) => new Uint8Array(readFileSync(join(folder, name))).buffer;
const { head } = JSON.parse(readFileSync(join(folder, "searchsocket.json"), "utf8"));
const index = await openIndex(head, read);
const answers = {};
for (const [id, request] of Object.entries(requests)) {
  try {
    answers[id] = await search(index, request);
  } catch (error) {
    answers[id] = { error: { code: error.code, message: error.message } };
  }
}
writeFileSync(output, JSON.stringify(answers));
