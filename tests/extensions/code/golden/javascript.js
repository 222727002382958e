'use strict';
const path = require('path');

/** Reads the query of an address. */
function parseQuery(address) {
	const [, query = ''] = address.split('?');
	return Object.fromEntries(new URLSearchParams(query));
}

Router.prototype.handle = function handle(request, response, next) {
	const layer = this.stack.find((one) => one.match(request.url));
	return layer ? layer.handle(request, response, next) : next();
};

exports.listen = async (port) => new Promise((resolve) => server.listen(port, resolve));

class Queue {
	#items = [];
	push(item) { this.#items.push(item); return this.#items.length; }
	*drain() {
		while (this.#items.length > 0) yield this.#items.shift();
	}
}

module.exports = { parseQuery, Queue, root: path.resolve(__dirname, '..', '..') };
