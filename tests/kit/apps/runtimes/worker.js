// What an adapter for the edge does around a hook, without SvelteKit.
import { searchsocketHandle } from './handle.js';

const own = searchsocketHandle({ markdown: true, timeoutMs: 1_000_000 });
const limited = searchsocketHandle({ path: '/late/wait', paths: ['/kept'], timeoutMs: 100, maxBodyBytes: 2000 });

export default {
	async fetch(request, env) {
		const event = {
			request, url: new URL(request.url), route: { id: null }, platform: { env },
			getClientAddress: () => request.headers.get('cf-connecting-ip')
		};
		const site = () => new Response(`typeof process: ${typeof process}`);
		return own({ event, resolve: (event) => limited({ event, resolve: site }) });
	}
};
