import { pick } from './pick';

export const { slugs, page } = pick(
	import.meta.glob('/src/content/indexing/**/*.md'),
	'/src/content/indexing/'
);
