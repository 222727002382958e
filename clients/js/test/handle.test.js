// The SvelteKit handle in front of a real HTTP server, with nothing of Node's but `fetch` in the handle itself.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { searchsocketHandle } from "../dist/handle.js";

let server, url, asked, answer;

before(async () => {
  server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    asked.push({ method: request.method, url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() });
    answer(request, response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${server.address().port}`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

function fresh() {
  asked = [];
  answer = (_, response) => response.writeHead(200, { "content-type": "application/json", etag: '"1"', "set-cookie": "a=b" }).end("{}");
}

/** One request through a handle; `resolve` answers as SvelteKit would. */
async function through(handle, path, init = {}, { route = null, html = "<html><head></head></html>", platform } = {}) {
  const request = new Request(`http://site.example${path}`, { duplex: "half", ...init });
  const event = { request, url: new URL(request.url), route: { id: route }, platform, getClientAddress: () => "203.0.113.9" };
  const resolve = (_, options) => new Response(options?.transformPageChunk?.({ html, done: true }) ?? html, { headers: { "x-kit": "1" } });
  return handle({ event, resolve });
}

/** The same, with the answer read to its end, so that nothing waits any longer. */
async function asks(...args) {
  const response = await through(...args);
  return Object.assign(response, { words: await response.text() });
}

const LIMIT_MS = 7_654_321;

/** Holds the handle's time limit, and no other timer; what is returned lets that time pass. */
function heldTime(t) {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const held = new Map();
  globalThis.setTimeout = (work, ms, ...rest) => {
    if (ms !== LIMIT_MS) return set(work, ms, ...rest);
    held.set(held.size + 1e9, work);
    return held.size - 1 + 1e9;
  };
  globalThis.clearTimeout = (id) => (held.delete(id) ? undefined : clear(id));
  t.after(() => Object.assign(globalThis, { setTimeout: set, clearTimeout: clear }));
  return () => [...held.values()].forEach((work) => work());
}

const post = (body, headers = {}) => ({ method: "POST", body, headers: { "content-type": "application/json", ...headers } });
const quiet = { onError() {} };

test("search is forwarded whole, and its answer is the service's", async () => {
  fresh();
  const handle = searchsocketHandle({ url });
  const sent = post('{"q":"tide"}', { cookie: "secret=1", "x-forwarded-for": "6.6.6.6", "if-none-match": '"0"' });
  const response = await asks(handle, "/api/search?scope=main", sent);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("etag"), '"1"');
  assert.equal(response.headers.get("set-cookie"), null);
  const [{ method, url: path, headers, body }] = asked;
  assert.deepEqual([method, path, body], ["POST", "/api/search?scope=main", '{"q":"tide"}']);
  assert.equal(headers["x-forwarded-for"], "203.0.113.9");
  assert.equal(headers["if-none-match"], '"0"');
  assert.equal(headers.cookie, undefined);
});

test("whatever else is asked is the site's", async () => {
  fresh();
  for (const path of ["/", "/api/searching", "/api/search/x", "/mcp", "/llms.txt", "/a.md"]) {
    assert.equal((await through(searchsocketHandle({ url }), path)).headers.get("x-kit"), "1");
  }
  assert.equal(asked.length, 0);
});

test("the key goes to the service alone, and never makes a visitor trusted", async () => {
  fresh();
  answer = (request, response) => response.writeHead(200, { authorization: request.headers.authorization ?? "" }).end("{}");
  const response = await asks(searchsocketHandle({ url, key: "hidden" }), "/api/search?q=a");
  assert.equal(asked[0].headers.authorization, "Bearer hidden");
  assert.equal(asked[0].headers["x-searchsocket-visitor"], "203.0.113.9");
  assert.doesNotMatch(JSON.stringify([...response.headers]) + response.words, /hidden/);
  await asks(searchsocketHandle({ url, key: "hidden" }), "/api/search?q=a", { headers: { authorization: "Bearer own" } });
  assert.equal(asked[1].headers.authorization, "Bearer own");
  assert.equal(asked[1].headers["x-searchsocket-visitor"], undefined);
  await asks(searchsocketHandle({ url, key: "hidden", mcp: true }), "/mcp", post("{}"));
  assert.equal(asked[2].headers.authorization, undefined, "MCP wants a key of whoever asks");
});

test("address and key are read where an edge runtime keeps them", async () => {
  fresh();
  const platform = { env: { SEARCHSOCKET_URL: `${url}/below/`, SEARCHSOCKET_API_KEY: "of the platform" } };
  await asks(searchsocketHandle(), "/api/search?q=a", {}, { platform });
  assert.equal(asked[0].url, "/below/api/search?q=a");
  assert.equal(asked[0].headers.authorization, "Bearer of the platform");
});

test("a body is read no further than its limit, whatever it says of its length", async () => {
  fresh();
  let given = 0;
  const endless = new ReadableStream({ pull(controller) { given += 1000; controller.enqueue(new Uint8Array(1000)); } });
  for (const body of ["x".repeat(3000), endless]) {
    const response = await through(searchsocketHandle({ url, maxBodyBytes: 2000, ...quiet }), "/api/search", post(body));
    assert.equal(response.status, 413);
    assert.equal((await response.json()).error.code, "INVALID_REQUEST");
  }
  assert.ok(given <= 5000, `${given} bytes were read`);
  assert.equal(asked.length, 0);
});

test("a service that is slow, away or misconfigured is an error with a code, and its address goes to the log alone", async () => {
  fresh();
  const log = [];
  const onError = (message) => log.push(message);
  const codes = [];
  const ask = async (options) => {
    const response = await through(searchsocketHandle({ onError, ...options }), "/api/search?q=a");
    const { error } = await response.json();
    codes.push([response.status, error.code]);
    assert.doesNotMatch(error.message, /127\.0\.0\.1|secret/);
  };
  answer = () => {};
  await ask({ url, timeoutMs: 30 });
  await ask({ url: "http://user:secret@127.0.0.1:9" });
  answer = (_, response) => response.writeHead(302, { location: "http://elsewhere.example" }).end();
  await ask({ url });
  assert.deepEqual(codes, [[504, "TIMED_OUT"], [503, "UNREACHABLE"], [502, "INVALID_ANSWER"]]);
  assert.equal(log.length, 3);
  assert.match(log[1], /searchsocket serve/);
  assert.doesNotMatch(log.join(), /secret/);
});

test("an answer that stops in the middle ends in time", async (t) => {
  fresh();
  const pass = heldTime(t);
  answer = (_, response) => response.writeHead(200, { "content-type": "application/json" }).write("{");
  const response = await through(searchsocketHandle({ url, timeoutMs: LIMIT_MS }), "/api/search?q=a");
  pass();
  await assert.rejects(response.text());
});

test("who leaves ends the work of the service", async () => {
  fresh();
  const left = new Promise((resolve) => (answer = (request) => request.socket.on("close", resolve)));
  const stop = new AbortController();
  const waiting = through(searchsocketHandle({ url }), "/api/search?q=a", { signal: stop.signal });
  while (!asked.length) await new Promise(setImmediate);
  stop.abort();
  assert.equal((await waiting).status, 499);
  await left;
  answer = (_, response) => response.writeHead(200).write("{");
  const response = await through(searchsocketHandle({ url, mcp: true }), "/mcp");
  await response.body.cancel();
});

test("MCP goes on after the time that its beginning has", async (t) => {
  fresh();
  const pass = heldTime(t);
  let end;
  answer = (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "mcp-session-id": "s" }).write("data: 1\n\n");
    end = () => response.end("data: 2\n\n");
  };
  const response = await through(searchsocketHandle({ url, mcp: true, timeoutMs: LIMIT_MS }), "/mcp", post("{}"));
  pass();
  end();
  assert.equal(await response.text(), "data: 1\n\ndata: 2\n\n");
  assert.equal(response.headers.get("mcp-session-id"), "s");
});

test("an answer in sentences goes on after the time that its beginning has", async (t) => {
  fresh();
  const pass = heldTime(t);
  let end;
  answer = (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" }).write("data: 1\n\n");
    end = () => response.end("data: 2\n\n");
  };
  const handle = searchsocketHandle({ url, paths: ["/api/answer", "/api/answer/*"], timeoutMs: LIMIT_MS });
  const response = await through(handle, "/api/answer", post("{}"));
  pass();
  end();
  assert.equal(await response.text(), "data: 1\n\ndata: 2\n\n");
});

test("agents are given Markdown, and people pages that name it", async () => {
  fresh();
  answer = (_, response) => response.writeHead(200, { "content-type": "text/markdown" }).end("# A");
  const handle = searchsocketHandle({ url, markdown: true, base: "/docs" });
  for (const path of ["/docs/llms.txt", "/docs/llms-full.txt", "/docs/guide/llms-full-2.txt", "/docs/guide/a.md"]) {
    assert.equal(await (await through(handle, path)).text(), "# A");
  }
  const agent = { headers: { accept: "text/markdown, text/html, */*" } };
  assert.equal(await (await through(handle, "/docs/guide/", agent, { route: "/guide" })).text(), "# A");
  assert.deepEqual(asked.map((each) => each.url), ["/llms.txt", "/llms-full.txt", "/guide/llms-full-2.txt", "/guide/a.md", "/guide.md"]);
  const browser = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };
  const page = await (await through(handle, "/docs/guide", browser, { route: "/guide" })).text();
  assert.match(page, /<link rel="alternate external" type="text\/markdown" href="\/docs\/guide\.md"><link rel="describedby external" href="\/docs\/llms\.txt"><\/head>/);
  const hidden = { route: "/guide", html: '<head><meta name="robots" content="noindex"></head>' };
  assert.doesNotMatch(await (await through(handle, "/docs/guide", browser, hidden)).text(), /<link/);
  answer = (_, response) => response.writeHead(404).end();
  assert.equal((await through(handle, "/docs/new", agent, { route: "/new" })).headers.get("x-kit"), "1");
});

test("what cannot be used is refused when the server starts", () => {
  for (const options of [{ url: "localhost:8181" }, { path: "api" }, { timeoutMs: 0 }, { base: "https://a.example" }, { mcp: "mcp" }]) {
    assert.throws(() => searchsocketHandle(options), TypeError, JSON.stringify(options));
  }
});
