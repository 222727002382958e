import type { Component } from 'svelte';

type Module = { default: Component };
type Modules = Record<string, () => Promise<unknown>>;

/** Slugs of a folder of Markdown files, and a loader; `index.md` is the folder itself, slug "". */
export function pick(modules: Modules, folder: string) {
	const bySlug = new Map(
		Object.entries(modules).map(([path, load]) => [
			path.slice(folder.length).replace(/\.md$/, '').replace(/(^|\/)index$/, ''),
			load
		])
	);
	return {
		slugs: [...bySlug.keys()].sort(),
		page: async (slug: string): Promise<Component | undefined> =>
			((await bySlug.get(slug)?.()) as Module | undefined)?.default
	};
}
