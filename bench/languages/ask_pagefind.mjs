// Ask the index of Pagefind in a folder: `node ask_pagefind.mjs FOLDER LANGUAGE < questions.json > rankings.json`.
// It is written for a browser: here its files are read from disk, and the page is in LANGUAGE.
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const DEPTH = 10
const [folder, language] = process.argv.slice(2)
const base = pathToFileURL(join(folder, "/")).href
globalThis.window = globalThis
globalThis.document = { currentScript: null, querySelector: () => ({ getAttribute: () => language }) }
globalThis.fetch = async (url) => new Response(await readFile(fileURLToPath(new URL(new URL(url, base).pathname, "file://"))))
const pagefind = await import(base + "pagefind.js")
await pagefind.options({ basePath: base, baseUrl: "/" })
const chunks = []
for await (const chunk of process.stdin) chunks.push(chunk)
const rankings = []
for (const question of JSON.parse(Buffer.concat(chunks).toString("utf8"))) {
  const found = await pagefind.search(question)
  const data = await Promise.all(found.results.slice(0, DEPTH).map((result) => result.data()))
  rankings.push(data.map((page) => page.raw_url ?? page.url))
}
process.stdout.write(JSON.stringify(rankings), () => process.exit(0))
