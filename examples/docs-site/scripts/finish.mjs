// Remove the client bundle, which no page uses (`csr = false`) and the framework writes all the same. Then
// write build/source-stamp.json: hashes of the sources and of what was built from them.
// tests/examples/test_example_site.py compares both, so a page cannot change without a rebuild.
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
const STAMP = 'build/source-stamp.json';
const SOURCES = [
	'src',
	'static',
	'scripts',
	'package.json',
	'package-lock.json',
	'svelte.config.js',
	'vite.config.js'
];

function files(path) {
	let entries;
	try {
		entries = readdirSync(join(root, path), { withFileTypes: true });
	} catch (error) {
		if (error.code === 'ENOTDIR') return [path];
		throw error;
	}
	return entries.flatMap((entry) => files(`${path}/${entry.name}`));
}

/** sha256 over the lines `<sha256 of the file>  <path>`, sorted by path. */
function digest(paths) {
	const lines = paths
		.filter((path) => path !== STAMP)
		.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
		.map((path) => {
			const hash = createHash('sha256').update(readFileSync(join(root, path))).digest('hex');
			return `${hash}  ${path}\n`;
		});
	return createHash('sha256').update(lines.join('')).digest('hex');
}

for (const unused of ['nodes', 'chunks', 'entry']) {
	rmSync(join(root, 'build/_app/immutable', unused), { recursive: true, force: true });
}

const stamp = { sources: digest(SOURCES.flatMap(files)), build: digest(files('build')) };
writeFileSync(join(root, STAMP), JSON.stringify(stamp, null, 2) + '\n');
