// Builds dist/: one bundle an entry, its types, and the languages, which are loaded when they are needed.
// The result is committed, so that whoever installs from the repository, and CI, need neither npm nor a registry.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build, transformSync } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const out = process.argv[2] ?? `${root}dist`;
const entries = ["index", "components", "answers", "handle", "page-actions", "page-search", "static-worker"].filter((name) => existsSync(`${root}src/${name}.ts`));
const folder = `${root}src/labels`;
const languages = existsSync(folder) ? readdirSync(folder).filter((name) => /^[a-z]{2}(-[a-z]+)?\.ts$/.test(name) && name !== "en.ts") : [];

// A module that contains only a style sheet, without the spaces that only people need.
const shortened = (source) => source.replace(/\s*([{};])\s+/g, "$1").replace(/([:,]) /g, "$1").replace(/ > /g, ">").replace(/;}/g, "}");

// A type needs no module, so what is left of a file of labels can be imported as it is.
const evaluated = async (path) => {
  const { code } = transformSync(readFileSync(path, "utf8"), { loader: "ts", charset: "utf8" });
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
};
const texts = {};
for (const name of ["en.ts", ...languages]) texts[name.slice(0, -3)] = (await evaluated(`${folder}/${name}`)).default.fromDisk;

rmSync(out, { recursive: true, force: true });
const shared = { absWorkingDir: root, bundle: true, format: "esm", target: "es2022", charset: "utf8", legalComments: "none" };
const { metafile } = await build({
  ...shared,
  metafile: true,
  entryPoints: entries.map((name) => `src/${name}.ts`),
  outdir: out,
  minify: true,
  // A language stays a file of its own, next to the bundle that asks for it.
  plugins: [{
    name: "styles",
    setup: ({ onLoad }) => onLoad({ filter: /style\.ts$/ }, ({ path }) => ({ contents: shortened(readFileSync(path, "utf8")), loader: "ts" }))
  }, {
    name: "languages",
    setup: ({ onResolve }) => {
      onResolve({ filter: /^\.\/[a-z]{2}(-[a-z]+)?\.js$/ }, ({ path, kind }) =>
        kind === "dynamic-import" ? { path: `./labels/${path.slice(2)}`, external: true } : undefined
      );
      onResolve({ filter: /^\.\/components\.js$/ }, ({ path }) => ({ path, external: true })); // a page may have it already
    }
  }]
});
// A classic script is not a module of its own, so it must keep its names to itself.
const define = { FROM_DISK: JSON.stringify(texts) };
const { metafile: disk } = await build({ ...shared, metafile: true, entryPoints: ["src/from-disk.ts"], outdir: out, minify: true, format: "iife", define });
if (languages.length) {
  await build({ ...shared, entryPoints: languages.map((name) => `src/labels/${name}`), outdir: `${out}/labels`, minify: true });
}
// Beside the tests that use it, since no visitor does.
await build({ ...shared, entryPoints: ["test/static-parts.ts"], outdir: `${out}/../test`, minify: true });
// What each bundle was made of, so that a test sees without npm that a source is newer.
for (const entry of [...entries, "from-disk"]) {
  const bundle = Object.values({ ...metafile.outputs, ...disk.outputs }).find(({ entryPoint }) => entryPoint === `src/${entry}.ts`);
  const speaks = Object.keys(bundle.inputs).includes("src/labels/shipped.ts");
  const inputs = Object.keys(bundle.inputs).filter((name) => !name.startsWith("<")); // a constant of the build is no file
  const sources = [...new Set([...inputs, ...(speaks ? ["en.ts", ...languages].map((name) => `src/labels/${name}`) : [])])];
  const hashes = sources.sort().map((name) => [name, createHash("sha256").update(readFileSync(`${root}${name}`)).digest("hex")]);
  writeFileSync(`${out}/${entry}.sources.json`, `${JSON.stringify(Object.fromEntries(hashes), null, 2)}\n`);
}
execFileSync(process.execPath, [`${root}node_modules/typescript/bin/tsc`, "--emitDeclarationOnly", "--outDir", out], {
  cwd: root,
  stdio: "inherit"
});
