import { pick } from './pick';

export const { slugs, page } = pick(import.meta.glob('/src/content/cli/*.md'), '/src/content/cli/');
