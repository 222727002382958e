// Builds a MiniSearch index of the sections of an export, as sites ship one: `node minisearch.mjs EXPORT TARGET`.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import MiniSearch from "../relevance/npm_peers/node_modules/minisearch/dist/es/index.js"

const [folder, target] = process.argv.slice(2)
const read = (name) => JSON.parse(gunzipSync(readFileSync(join(folder, name))))
const { head } = JSON.parse(readFileSync(join(folder, "searchsocket.json")))
const { pages, texts } = read(head)
const chunks = texts.files.flatMap(read)
const documents = []
pages.chunks.forEach((count, page) => {
  for (const [text, , , title, anchor, headings] of chunks.splice(0, count)) {
    documents.push({ id: `${pages.url[page]}#${anchor}~${documents.length}`, title: pages.title[page], headings: [...headings, title].join(" "), text })
  }
})
const index = new MiniSearch({ fields: ["title", "headings", "text"], storeFields: ["title"] })
index.addAll(documents)
writeFileSync(target, JSON.stringify(index))
