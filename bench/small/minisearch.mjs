// Build and write an index of MiniSearch: `node minisearch.mjs NODE_MODULES PAGES INDEX`.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [modules, pages, index] = process.argv.slice(2);
const MiniSearch = createRequire(join(modules, "minisearch", "package.json"))("minisearch");

const search = new MiniSearch({ fields: ["text"], idField: "path" });
for (const path of readdirSync(pages, { recursive: true })) {
  if (path.endsWith(".md")) search.add({ path, text: readFileSync(join(pages, path), "utf8") });
}
writeFileSync(index, JSON.stringify(search));
