import assert from "node:assert/strict";
import { test } from "node:test";
import { buildResultUrl } from "../dist/index.js";

test("an address opens the section, and names the passage for the browser", () => {
  const result = { href: "/docs/rollback.html#when", snippet: "A deploy was rolled back, and search should fit it.", marks: [[13, 19], [20, 24]] };
  assert.equal(buildResultUrl(result), "/docs/rollback.html#when:~:text=rolled%20back%2C%20and%20search%20should%20fit%20it");
  assert.equal(buildResultUrl(result, { textFragment: false, site: "https://docs.example/" }), "https://docs.example/docs/rollback.html#when");
  assert.equal(buildResultUrl({ href: "/a", snippet: "nothing", marks: [] }), "/a");
});

test("marks count code points, and a phrase never leaves its line", () => {
  const snippet = "🦓🦓 first\nsecond line-up";
  assert.equal(buildResultUrl({ href: "/a", snippet, marks: [[3, 8]] }), "/a#:~:text=first");
  assert.equal(buildResultUrl({ href: "/a", snippet, marks: [[9, 15], [16, 20]] }), "/a#:~:text=second%20line%2Dup");
});

test("only a path opens", () => {
  for (const href of ["javascript:alert(1)", "//evil.example/a", "/\\evil.example", "@evil.example/", "data:text/html,a", "https://evil.example/", ""]) {
    assert.equal(buildResultUrl({ href }), "#");
    assert.equal(buildResultUrl({ href }, { site: "https://docs.example" }), "#");
  }
});
