import assert from "node:assert/strict";
import { test } from "node:test";
import { buildResultUrl } from "../dist/index.js";

test("an address opens the section, and names the passage for the browser", () => {
  const result = { href: "/docs/rollback.html#when", snippet: "A deploy was rolled back, and search should fit it.", marks: [[13, 19], [20, 24]] };
  assert.equal(buildResultUrl(result), "/docs/rollback.html#when:~:text=A%20deploy%20was%20rolled,search%20should%20fit%20it");
  assert.equal(buildResultUrl(result, { textFragment: false, site: "https://docs.example/" }), "https://docs.example/docs/rollback.html#when");
  assert.equal(buildResultUrl({ href: "/a", snippet: "nothing", marks: [] }), "/a");
});

test("the passage is one whole sentence", () => {
  const snippet = "Run it. Sagas outside the middleware, e.g. in tests, need runSaga. Useful if you test them.";
  const marks = [[8, 13], [59, 66]];
  assert.equal(buildResultUrl({ href: "/a", snippet, marks }), "/a#:~:text=Sagas%20outside%20the%20middleware,in%20tests%2C%20need%20runSaga");
  assert.equal(buildResultUrl({ href: "/a", snippet, marks: [[0, 3]] }), "/a#:~:text=Run%20it");
});

test("marks count code points, and a phrase never leaves its line", () => {
  const snippet = "🦓🦓 first\nsecond line-up";
  assert.equal(buildResultUrl({ href: "/a", snippet, marks: [[3, 8]] }), "/a#:~:text=first");
  assert.equal(buildResultUrl({ href: "/a", snippet, marks: [[9, 15], [16, 20]] }), "/a#:~:text=second%20line%2Dup");
});

test("only a path opens", () => {
  for (const href of ["javascript:alert(1)", "//evil.example/a", "/\\evil.example", "@evil.example/", "data:text/html,a", "https://evil.example/", "", "/\t/evil.example", "/\n/evil.example", "/\r\\evil.example", "/a\u0000b", "/a\n"]) {
    assert.equal(buildResultUrl({ href }), "#");
    assert.equal(buildResultUrl({ href }, { site: "https://docs.example" }), "#");
  }
});
