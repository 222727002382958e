import assert from "node:assert/strict";
import { test } from "node:test";
import { createSearchClient, SearchError } from "../dist/index.js";

const answer = (q, generation = "g1") => ({ q, scope: "main", results: [], total: 0, quality: "answered", meta: { generation, notes: [] } });

/** A service that answers when it is told to. */
function service() {
  const calls = [];
  const fetch = (url, init) =>
    new Promise((resolve, reject) => {
      const query = new URL(url, "http://site.example").searchParams;
      const call = { url, init, query, reply: (body, options) => resolve(Response.json(body, options)), fail: reject };
      init.signal.addEventListener("abort", () => reject(init.signal.reason));
      calls.push(call);
    });
  return { calls, fetch };
}

const asked = async (calls, count) => {
  while (calls.length < count) await new Promise(setImmediate);
};

test("a request is a GET in the names of the query string, and a long one a POST", async () => {
  const { calls, fetch } = service();
  const client = createSearchClient({ fetch });
  const filters = { language: ["en", "de"], version: 3 };
  void client.search({ q: "a b", topK: 5, tags: ["x", "y"], filters, facets: ["version"], pathPrefix: "" });
  assert.equal(calls[0].url, "/api/search?q=a+b&topK=5&tag=x&tag=y&filter=language%3Aen&filter=language%3Ade&filter=version%3A3&facet=version");
  assert.equal(calls[0].init.method, "GET");
  void client.search({ q: "x".repeat(2000), filters });
  assert.equal(calls[1].init.method, "POST");
  assert.deepEqual(JSON.parse(calls[1].init.body), { q: "x".repeat(2000), filters });
  calls.forEach((call) => call.reply(answer("")));
});

test("versions are repeated in the query string", () => {
  const { calls, fetch } = service();
  const client = createSearchClient({ fetch });
  void client.search({ q: "a", version: ["1.0", "1.1"] });
  void client.search({ q: "a", version: "/docs/1.0" });
  assert.deepEqual(calls.map(({ query }) => query.getAll("version")), [["1.0", "1.1"], ["/docs/1.0"]]);
  calls.forEach((call) => call.reply(answer("")));
});

test("while words are typed what came before is ended, and only the last is answered", async () => {
  const { calls, fetch } = service();
  const client = createSearchClient({ fetch, debounceMs: 0 });
  const first = client.searchTyped("in");
  await asked(calls, 1);
  const second = client.searchTyped("ins");
  const third = client.searchTyped("inst");
  await asked(calls, 3);
  calls[2].reply(answer("inst"));
  assert.deepEqual([await first, await second, (await third).q], [null, null, "inst"]);
  assert.deepEqual(calls.map((call) => call.init.signal.aborted), [true, true, false]);
  assert.equal(calls[2].query.get("q"), "inst");
});

test("answers are kept, up to a number, and until the site is published anew", async () => {
  const { calls, fetch } = service();
  const client = createSearchClient({ fetch, cacheSize: 2 });
  const ask = async (q, generation) => {
    const before = calls.length;
    const found = client.search(q);
    if (calls.length > before) calls.at(-1).reply(answer(q, generation));
    await found;
    return calls.length > before ? "asked" : "kept";
  };
  assert.deepEqual([await ask("a"), await ask("a"), await ask("b"), await ask("a")], ["asked", "kept", "asked", "kept"]);
  assert.deepEqual([await ask("c"), await ask("a"), await ask("b")], ["asked", "kept", "asked"]); // b was the oldest
  assert.deepEqual([await ask("d", "g2"), await ask("b", "g2")], ["asked", "asked"]);
  client.clear();
  assert.equal(await ask("d", "g2"), "asked");
});

test("the first key is asked at once, and of fast ones the last", async (t) => {
  const { calls, fetch } = service();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const client = createSearchClient({ fetch, debounceMs: 1e6 });
  const typed = ["i", "in", "ins", "inst"].map((q) => client.searchTyped(q));
  assert.deepEqual(calls.map((call) => call.query.get("q")), ["i"]);
  t.mock.timers.tick(1e6);
  await asked(calls, 2);
  assert.deepEqual(calls.map((call) => call.query.get("q")), ["i", "inst"]);
  calls[1].reply(answer("inst"));
  assert.deepEqual((await Promise.all(typed)).map((found) => found?.q), [undefined, undefined, undefined, "inst"]);
});

const failure = (promise) => promise.then(() => assert.fail("it was answered"), (error) => error);

test("each way to fail has a code, and says whether to try again", async () => {
  const { calls, fetch } = service();
  const client = createSearchClient({ fetch, timeoutMs: 1 });
  const late = await failure(client.search("late"));
  assert.ok(late instanceof SearchError);
  assert.deepEqual([late.code, late.retryable], ["TIMED_OUT", true]);

  const own = new AbortController();
  const patient = createSearchClient({ fetch });
  const ended = failure(patient.search("ended", { signal: own.signal }));
  own.abort();
  assert.deepEqual([(await ended).code, (await ended).retryable], ["ABORTED", false]);
  assert.equal((await failure(patient.search("never", { signal: own.signal }))).code, "ABORTED");

  const failed = async (act) => {
    const error = failure(patient.search(`q${calls.length}`));
    act(calls.at(-1));
    const { code, status, retryAfterS, retryable } = await error;
    return [code, status, retryAfterS, retryable];
  };
  assert.deepEqual(await failed((call) => call.fail(new TypeError("Failed to fetch"))), ["UNREACHABLE", 0, null, true]);
  const limited = { error: { code: "RATE_LIMITED", message: "wait" } };
  assert.deepEqual(await failed((call) => call.reply(limited, { status: 429, headers: { "retry-after": "7" } })), ["RATE_LIMITED", 429, 7, true]);
  assert.deepEqual(await failed((call) => call.reply("<html>", { status: 502 })), ["INVALID_ANSWER", 502, null, true]);
  assert.deepEqual(await failed((call) => call.reply({ hello: 1 })), ["INVALID_ANSWER", 200, null, false]);
  const refused = { error: { code: "INVALID_REQUEST", message: "the query is empty" } };
  assert.deepEqual(await failed((call) => call.reply(refused, { status: 400 })), ["INVALID_REQUEST", 400, null, false]);
});

test("as the rate limit comes near the pause grows, so that a fast writer does not run into it", async (t) => {
  const { calls, fetch } = service();
  const client = createSearchClient({ fetch, debounceMs: 10 });
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const first = client.searchTyped("a");
  await asked(calls, 1);
  calls[0].reply(answer("a"), { headers: { "ratelimit-limit": "120", "ratelimit-remaining": "6" } });
  await first;
  void client.searchTyped("ab");
  t.mock.timers.tick(500);
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
  assert.equal(calls.length, 1);
  t.mock.timers.tick(100);
  await asked(calls, 2);
  calls[1].reply(answer("ab"));
});
