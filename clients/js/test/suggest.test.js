import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { completions, didYouMean, markedParts, markedWords } from "../dist/index.js";

const result = (title, snippet = "", sectionTitle = "") => ({ title, snippet, sectionTitle, sections: [] });
const answer = (...results) => ({ results });

test("a slip is corrected by what was found, and nothing else is touched", () => {
  const found = answer(result("Rollback", "The previous generation is published again.", "The embedding cache"));
  const cases = { rollbakc: "Rollback", "embeding cache": "embedding cache", "roll back": "", publishing: "", "generations again": "", cahce: "cache", wxyz: "" };
  for (const [q, meant] of Object.entries(cases)) assert.equal(didYouMean(q, found), meant, q);
  assert.equal(didYouMean("rollbakc", answer()), "");
});

test("a correction is spelled as the site spells the word within its sentences", () => {
  const found = answer(
    result("Deploy to Kubernetes", "Kubernetes runs containers. A container of Kubernetes restarts, and takeLatest waits."),
    result("Container Restarts", "The containers restart."),
  );
  assert.equal(didYouMean("kubernetse", found), "Kubernetes");
  assert.equal(didYouMean("takelatset", found), "takeLatest");
  assert.equal(didYouMean("contianer", found), "container");
  assert.deepEqual(completions("how kube", found), ["how Kubernetes"]);
});

test("a beginning is completed from titles, and a whole word is left alone", () => {
  const found = answer(result("Cost and budget", "what it costs"), result("Incremental runs", "A run reads the pages that changed."));
  assert.deepEqual(completions("cost a", found), []);
  assert.deepEqual(completions("cost an", found), ["Cost and budget", "cost and"]);
  assert.deepEqual(completions("how incr", found), ["how incremental"]);
  assert.deepEqual(completions("run", found), []);
  assert.deepEqual(completions("", found), []);
});

test("marks are cut out by code points, in any order, and never outside of the text", () => {
  const shape = (parts) => parts.map(({ text, isMarked }) => (isMarked ? `[${text}]` : text)).join("");
  assert.equal(shape(markedParts("🦓 zebra here", [[8, 12], [2, 7]])), "🦓 [zebra] [here]");
  assert.equal(shape(markedParts("short", [[2, 99], [3, 4]])), "sh[ort]");
  assert.equal(shape(markedParts("", [[0, 3]])), "");
  assert.equal(shape(markedWords("Étages: installing it", "etage INSTALL i")), "[Étages]: [installing] it");
});

test("every language says everything, with the same things filled in", async () => {
  const files = readdirSync(new URL("../dist/labels/", import.meta.url)).filter((name) => name.endsWith(".js"));
  assert.equal(files.length, 30); // and English, which is in the components
  const gaps = (text) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();
  const [{ default: german }, ...others] = await Promise.all(["de.js", ...files].map((name) => import(`../dist/labels/${name}`)));
  for (const [at, { default: labels, actions }] of others.entries()) {
    assert.deepEqual(Object.keys(labels), Object.keys(german));
    assert.deepEqual(Object.keys(actions), ["copy", "copied", "failed", "view", "open", "prompt"], files[at]);
    assert.deepEqual([actions.open, actions.prompt].map(gaps), [["{name}"], ["{url}"]], files[at]);
    const forms = new Intl.PluralRules(files[at].replace(".js", ""));
    for (const label of [labels.count, labels.alike, labels.limited]) {
      for (let count = 1; count < 30; count++) assert.ok(label[forms.select(count)], `${files[at]}: ${label.other} for ${count}`);
    }
    for (const [name, label] of Object.entries(labels)) {
      assert.ok(label.other ?? label, name);
      assert.deepEqual(gaps(label.other ?? label), gaps(german[name].other ?? german[name]), name);
    }
  }
});
