import { pick } from './pick';

export const { slugs, page } = pick(import.meta.glob('/src/content/docs/*.md'), '/src/content/docs/');
