import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { curationOf, excludedWords, indexText, namesOf, nearest, parseQuery, possibleNames, setStopWords, spelledName, stem, variantsOf, versionMatch, versionsOfPage, versionsOfQuery } from "./static-parts.js";

// The same cases as `tests/extensions/export/test_shared_cases.py`.
const cases = JSON.parse(readFileSync(new URL("./static-cases.json", import.meta.url), "utf8"));
setStopWords(cases.stopWords, cases.beforeNames);

for (const [word, expected] of Object.entries(cases.stems)) test(`stem ${word}`, () => assert.equal(stem(word), expected));

for (const [text, expected] of Object.entries(cases.forms)) test(`forms ${text}`, () => assert.equal(indexText(text).join(" "), expected));

for (const [text, expected] of Object.entries(cases.queries)) {
  test(`query ${text}`, () => {
    const parsed = parseQuery(text);
    const { words, isOpen, phrases } = parsed;
    const conditions = { phrases, excluded: excludedWords(text), variants: Object.fromEntries(variantsOf(parsed)) };
    const plain = words.map((word) => ({ exact: word.exact, stem: word.stem, parts: word.parts, isStop: word.isStop }));
    assert.deepEqual({ words: plain, isOpen, names: namesOf(text), possible: possibleNames(text), spelled: spelledName(text), ...conditions }, expected);
  });
}

const { rules, pages, effects } = cases.curation;
for (const [day, queries] of Object.entries(effects)) {
  for (const [query, expected] of Object.entries(queries)) {
    test(`rules on ${day} for ${query}`, () => {
      const { pins, isHidden, factor } = curationOf(rules, query, day);
      const factors = Object.fromEntries(pages.map((url) => [url, factor(url)]));
      assert.deepEqual({ pins, hidden: pages.filter(isHidden), factors }, expected);
    });
  }
}

for (const [word, expected] of Object.entries(cases.typos)) test(`typo ${word}`, () => assert.deepEqual(nearest(word, cases.vocabulary), expected));

for (const [q, title, url, expected] of cases.versions) {
  test(`version ${q} of ${title}`, () => {
    const share = versionMatch(versionsOfQuery(q), versionsOfPage(title, url));
    assert.ok(Math.abs(share - expected) < 1e-9, `${share} instead of ${expected}`);
  });
}
