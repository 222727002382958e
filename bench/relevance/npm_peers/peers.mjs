// What a site owner would pick instead, each as its users tune it. Reads one JSON file, writes one:
// {documents: [{id, title, headings, text, html}], queries: [{id, text}]} -> {peer: {query: [document ids, best first]}}
import { readFile, writeFile, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { create, insertMultiple, search } from "@orama/orama"
import { pluginQPS } from "@orama/plugin-qps"
import lunr from "lunr"
import MiniSearch from "minisearch"
import * as pagefind from "pagefind"

const DEPTH = 60 // 50 and what a query leaves out
const TITLE = 4
const HEADINGS = 2

function minisearch(documents) {
  const index = new MiniSearch({
    fields: ["title", "headings", "text"],
    processTerm: (term) => lunr.stopWordFilter(term.toLowerCase()) ?? null,
    searchOptions: { boost: { title: TITLE, headings: HEADINGS }, fuzzy: 0.2, prefix: (term) => term.length > 3 },
  })
  index.addAll(documents)
  return (text) => index.search(text).map((hit) => hit.id)
}

function lunrs(documents) {
  lunr.tokenizer.separator = /[^\p{L}\p{N}_$]+/u // code is full of other signs
  const index = lunr(function () {
    this.ref("id")
    this.field("title", { boost: TITLE })
    this.field("headings", { boost: HEADINGS })
    this.field("text")
    this.k1(1.2)
    this.b(0.75)
    for (const document of documents) this.add(document)
  })
  // Its own query language would trip over a colon or a minus.
  return (text) => index.query((query) => query.term(lunr.tokenizer(text))).map((hit) => hit.ref)
}

async function orama(documents, queries) {
  const words = queries.flatMap(({ text }) => text.toLowerCase().split(/\W+/)).filter(Boolean)
  const stopWords = [...new Set(words)].filter((word) => !lunr.stopWordFilter(word))
  const index = await create({
    schema: { title: "string", headings: "string", text: "string" },
    components: { tokenizer: { stemming: true, language: "english", stopWords } },
    plugins: [pluginQPS()],
  })
  await insertMultiple(index, documents.map(({ id, title, headings, text }) => ({ id, title, headings, text })))
  return async (term) => {
    const found = await search(index, { term, limit: DEPTH, boost: { title: 10, headings: 4 } })
    return found.hits.map((hit) => hit.id)
  }
}

async function pagefinds(documents) {
  const { index } = await pagefind.createIndex({ forceLanguage: "en" })
  const ids = new Map()
  for (const [number, { id, title, html }] of documents.entries()) {
    ids.set(`/${number}.html`, id)
    const content = `<html lang="en"><title>${number}</title><body><main data-pagefind-body>${html}</main></body></html>`
    await index.addHTMLFile({ url: `/${number}.html`, content })
  }
  const folder = await mkdtemp(join(tmpdir(), "pagefind-"))
  await index.writeFiles({ outputPath: folder })
  // It is written for a browser: in Node its files are read from disk.
  const fetched = globalThis.fetch
  globalThis.fetch = async (url, options) => {
    const address = new URL(url, pathToFileURL(folder + "/"))
    if (address.protocol !== "file:") return fetched(url, options)
    return new Response(await readFile(fileURLToPath(new URL(address.pathname, "file://"))))
  }
  const client = await import(pathToFileURL(join(folder, "pagefind.js")).href)
  // As Starlight configures it (packages/starlight/schemas/pagefind.ts).
  await client.options({
    basePath: pathToFileURL(folder + "/").href,
    ranking: { pageLength: 0.1, termFrequency: 0.1, termSaturation: 2, termSimilarity: 9 },
  })
  const ask = async (text) => {
    const found = await client.search(text)
    const data = await Promise.all(found.results.slice(0, DEPTH).map((result) => result.data()))
    return data.map((page) => ids.get(page.raw_url ?? page.url))
  }
  return Object.assign(ask, { close: () => Promise.all([rm(folder, { recursive: true }), pagefind.close()]) })
}

const [input, output] = process.argv.slice(2)
const { documents, queries } = JSON.parse(await readFile(input, "utf8"))
const makers = {
  "MiniSearch, tuned": minisearch,
  "lunr, tuned": lunrs,
  "Orama with QPS, tuned": orama,
  "Pagefind as Starlight ships it": pagefinds,
}
const rankings = {}
for (const [name, make] of Object.entries(makers)) {
  const ask = await make(documents, queries)
  rankings[name] = {}
  for (const { id, text } of queries) rankings[name][id] = (await ask(text)).slice(0, DEPTH)
  await ask.close?.()
}
await writeFile(output, JSON.stringify(rankings))
process.exit(0)
