// Every built page says which route the framework chose for it, and with which parameters.
export function handle({ event, resolve }) {
	const chosen = encodeURIComponent(JSON.stringify([event.route.id, event.params]));
	return resolve(event, {
		transformPageChunk: ({ html }) => html.replace('</head>', `<meta name="chosen" content="${chosen}"></head>`)
	});
}
