import adapter from '@sveltejs/adapter-static';
import { mdsvex } from 'mdsvex';
import { backslashes, headingIds, scrollingTables } from './scripts/markdown.mjs';

/** @type {import('@sveltejs/kit').Config} */
export default {
	extensions: ['.svelte', '.md', '.svx'],
	preprocess: [
		mdsvex({
			extensions: ['.md', '.svx'],
			layout: new URL('./src/lib/Article.svelte', import.meta.url).pathname,
			rehypePlugins: [backslashes, headingIds, scrollingTables],
			smartypants: false
		})
	],
	kit: {
		adapter: adapter(),
		// A fixed version: the same sources always build to the same bytes.
		version: { name: '0.1.0' },
		prerender: { handleHttpError: 'fail', handleMissingId: 'fail' }
	}
};
