// Small mdsvex plugins: ids (and a link) on headings, a scrolling box around tables, backslashes in code.

const text = (node) =>
	node.type === 'text' ? node.value : (node.children ?? []).map(text).join('');

/** `Set up & run` -> `set-up-run`; what is not a letter, digit or underscore becomes one hyphen. */
export const slug = (heading) =>
	heading
		.replace(/&[a-z#0-9]+;/gi, ' ')
		.replace(/<[^>]*>/g, '')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}_]+/gu, '-')
		.replace(/^-+|-+$/g, '');

export function headingIds() {
	return (tree) => {
		const seen = new Map();
		for (const node of tree.children) {
			if (node.type !== 'element' || !/^h[2-4]$/.test(node.tagName)) continue;
			const base = slug(
				node.children.map((child) => (child.type === 'raw' ? child.value : text(child))).join('')
			);
			const n = seen.get(base) ?? 0;
			seen.set(base, n + 1);
			const id = n ? `${base}-${n}` : base;
			node.properties = { ...node.properties, id };
			node.children.push({
				type: 'element',
				tagName: 'a',
				properties: { href: `#${id}`, className: ['header-anchor'], ariaLabel: 'Link to this section' },
				children: [{ type: 'text', value: '#' }]
			});
		}
	};
}

export function scrollingTables() {
	return (tree) => {
		tree.children = tree.children.map((node) =>
			node.type === 'element' && node.tagName === 'table'
				? {
						type: 'element',
						tagName: 'div',
						properties: { className: ['table'] },
						children: [node]
					}
				: node
		);
	};
}

/** mdsvex puts highlighted code into a template literal, which would swallow its backslashes. */
export function backslashes() {
	const visit = (node) => {
		if (node.type === 'raw' && node.value.startsWith('<pre')) {
			node.value = node.value.replaceAll('\\', '&#92;');
		}
		node.children?.forEach(visit);
	};
	return visit;
}
