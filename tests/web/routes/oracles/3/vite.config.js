import adapter from '@sveltejs/adapter-static';
import { sveltekit } from '@sveltejs/kit/vite';
import { mdsvex } from 'mdsvex';
import { defineConfig } from 'vite';

const extensions = ['.svelte', '.md', '.svx'];

export default defineConfig({
	plugins: [
		sveltekit({
			extensions,
			preprocess: [mdsvex({ extensions: ['.md', '.svx'] })],
			adapter: adapter({ fallback: '404.html' }),
			paths: { base: '/base', relative: false },
			files: { routes: 'src/pages', assets: 'assets' }, // not the usual folders
			prerender: {
				handleHttpError: 'fail',
				// What no link leads to, and each form of a route with parameters.
				entries: [
					'*',
					'/docs/first/history',
					'/docs/a/b/history',
					'/docs/a/b/c',
					'/docs/getting-started',
					'/docs/getting-started/edit',
					'/start',
					'/de-at/start',
					'/nowhere/start',
					'/items/42',
					'/items/forty-two',
					'/items/forty-two/grid',
					'/files/notes.txt',
					'/files/a/b/raw',
					'/v3-rc',
					'/deep/x-y/z',
					'/slashed/in-side/',
					'/old',
					'/docs/chapter',
					'/100%',
					'/emoji/🤪',
					'/smile/:-)',
					'/.well-known/security'
				]
			}
		})
	]
});
