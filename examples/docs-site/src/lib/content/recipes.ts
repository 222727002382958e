import { pick } from './pick';

export const { slugs, page } = pick(import.meta.glob('/src/content/recipes/*.md'), '/src/content/recipes/');
