// Ask SvelteKit itself which route makes which URL, and keep its answers: `npx -p node@22 node make.mjs 3` (or 2).
// Needs the package registry; works in a temporary folder. See README.md.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, extname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

const version = process.argv[2]; // 2 or 3
const kept = join(import.meta.dirname, version);
const app = mkdtempSync(join(tmpdir(), 'route-oracle-'));
const lines = (path) => readFileSync(path, 'utf-8').trim().split('\n');
const tsv = (rows) => rows.map((row) => row.join('\t') + '\n').join('');

function run(command, ...args) {
	const done = spawnSync(command, args, { cwd: app, stdio: ['ignore', 'inherit', 'inherit'] });
	if (done.status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${done.status}`);
}

// What the file of a route holds: nothing of it counts but its name.
function content(file) {
	const name = file.split('/').at(-1);
	if (name === '+server.js') return "export const GET = () => new Response('feed');\n";
	if (name === '+page.server.js')
		return "import { redirect } from '@sveltejs/kit';\nexport const load = () => redirect(308, '/base/docs');\n";
	if (name === '+layout.js') return file.includes('slashed') ? "export const trailingSlash = 'always';\n" : 'export const prerender = true;\n';
	if (name === '+layout.svelte') return '<script>let { children } = $props();</script>\n\n<main>{@render children()}</main>\n';
	// A page without a component can be prerendered by version 3; version 2 fails.
	if (name.endsWith('.js') && version === '2')
		return "import { redirect } from '@sveltejs/kit';\nexport const load = () => redirect(308, '/base/docs');\n";
	if (name.endsWith('.js')) return 'export const load = () => ({});\n';
	return extname(name) === '.html' ? '<!doctype html><h1>copied</h1>\n' : `<h1>${name}</h1>\n`;
}

function create(root, files) {
	for (const file of files) {
		mkdirSync(join(root, dirname(file)), { recursive: true });
		writeFileSync(join(root, file), content(file));
	}
}

async function internals() {
	const kit = join(app, 'node_modules/@sveltejs/kit/src');
	const load = (path) => import(pathToFileURL(join(kit, path)).href);
	const { default: create_manifest_data } = await load('core/sync/create_manifest_data/index.js');
	const { find_route } = await load('utils/routing.js');
	const { decode_pathname } = await load('utils/url.js');
	const matchers = await (version === '2'
		? Promise.all(readdirSync(join(app, 'src/params')).map(async (file) => [file.slice(0, -3), (await import(join(app, 'src/params', file))).match])).then(Object.fromEntries)
		: import(join(app, 'src/params.js')).then(({ params }) => params));

	/** The framework's own table of a tree: a function from a URL to its answer. It throws what the framework says of a tree that it refuses. */
	return (root, routes_dir) => {
		const hooks = { client: join(root, 'none'), server: join(root, 'none'), universal: join(root, 'none') };
		const files = { assets: join(root, 'none'), hooks, params: join(app, 'src/params'), routes: join(root, routes_dir) };
		const kit = { files, moduleExtensions: ['.js', '.ts'], router: { type: 'pathname' } };
		const config = { extensions: ['.svelte', '.md', '.svx'], ...kit, kit };
		const data = version === '2' ? create_manifest_data({ config, cwd: root, fallback: 'fallback' }) : create_manifest_data(config, root, 'fallback');
		const answering = data.routes.filter((route) => route.page || route.endpoint);
		const file_of = (route) => {
			if (!route.page) return '';
			const { component, universal, server } = data.nodes[route.page.leaf];
			return [component, universal, server].find((file) => file && !file.startsWith('fallback'));
		};
		const files_by_id = new Map(answering.map((route) => [route.id, file_of(route)]));
		const answer = (url) => {
			const found = find_route(decode_pathname(url), answering, matchers);
			return found ? [found.route.id, files_by_id.get(found.route.id), found.params] : ['', '', {}];
		};
		return { answer, files_by_id };
	};
}

function build_truth(files_by_id) {
	const build = join(app, 'build');
	const html = readdirSync(build, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile() && entry.name.endsWith('.html'))
		.map((entry) => relative(build, join(entry.parentPath, entry.name)))
		.sort();
	return html.map((file) => {
		const text = readFileSync(join(build, file), 'utf-8');
		const chosen = /<meta name="chosen" content="([^"]*)"/.exec(text);
		if (chosen) {
			const [id, params] = JSON.parse(decodeURIComponent(chosen[1]));
			if (id) return [file, 'page', id, files_by_id.get(id), JSON.stringify(params)];
		}
		const kind = file === '404.html' ? 'fallback' : text.includes('http-equiv="refresh"') ? 'redirect' : 'static';
		return [file, kind, '', '', '{}'];
	});
}

// Random trees from few names, so that routes compete; the same sequence on each run and for both versions.
let seed = 11;
const random = (n) => (seed = (seed * 48271) % 2147483647) % n;
const pick = (list) => list[random(list.length)];
const in_version = (name) => (version === '2' ? name.replace(/(?<=[a-z])-(?=[a-z])/g, '_') : name);
const FOLDERS = [
	'a', 'b', 'docs', 'a', 'docs', '(one)', '(two)', '[page-id]', '[other-name]', '[page-id=whole-number]', '[[lang-code]]',
	'[[lang-code=language-code]]', '[...rest-of-it]', '[...rest-of-it=whole-number]', 'v[major-version]', '[from-here]-[to-there]',
	'[file-name].html', 'a[...rest-of-it]z', '[x+61]b', '[u+0064]ocs', 'é', 'a b'
].map((name) => name.startsWith('[') || name.includes('[') ? in_version(name) : name);
const NAMES = ['+page.svelte', '+page.svelte', '+page.svelte', '+page@.svelte', '+page.md', '+page.js', '+page.server.js', '+server.js'];
const PARTS = ['a', 'b', 'docs', '7', '42', 'de', 'de-at', 'x-y', 'v2', 'v', 'ab', 'a.html', 'abz', 'az', 'caf%C3%A9', '%C3%A9', 'a%20b', '%2F', 'zz'];

function random_tree() {
	const files = new Set();
	for (let i = 3 + random(8); i > 0; i--) {
		const folders = Array.from({ length: random(5) }, () => pick(FOLDERS));
		files.add(['routes', ...folders, pick(NAMES)].join('/'));
	}
	return [...files].sort();
}

const random_url = () => '/' + Array.from({ length: random(5) }, () => pick(PARTS)).join('/');

function random_trees(table_of) {
	const trees = [];
	const wanted = { accepted: 70, refused: 15 };
	for (let i = 0; wanted.accepted || wanted.refused; i++) {
		const files = random_tree();
		const urls = [...new Set(Array.from({ length: 24 }, random_url))].sort();
		const root = join(app, 'trees', String(i));
		create(root, files);
		try {
			const { answer } = table_of(root, 'routes');
			const answers = urls.map((url) => [url, ...answer(url).slice(1)]);
			if (wanted.accepted && wanted.accepted--) trees.push({ files, answers });
		} catch (error) {
			if (wanted.refused && wanted.refused--) trees.push({ files, refused: error.message.split('\n')[0] });
		}
	}
	return trees;
}

try {
	cpSync(kept, app, { recursive: true });
	const files = lines(join(kept, 'routes.txt'));
	create(app, files);
	run('npm', 'install', '--no-audit', '--no-fund', '--loglevel=error');
	run(process.execPath, 'node_modules/vite/bin/vite.js', 'build');
	const table_of = await internals();
	const { files_by_id } = table_of(app, 'src/pages');
	writeFileSync(join(kept, 'truth.tsv'), tsv([['html_file', 'kind', 'route_id', 'route_file', 'params'], ...build_truth(files_by_id)]));
	const trees = random_trees(table_of).map((tree) => JSON.stringify(tree));
	writeFileSync(join(kept, 'trees.json'), `[\n${trees.join(',\n')}\n]\n`);
} finally {
	rmSync(app, { recursive: true, force: true });
}
