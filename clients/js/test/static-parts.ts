// Parts of the search of an export, for its tests: the worker exports only what answers requests.
export { curationOf } from "../src/static/curation.js";
export { nearest } from "../src/static/terms.js";
export { excludedWords, indexText, namesOf, parseQuery, possibleNames, setStopWords, spelledName, stem } from "../src/static/tokens.js";
export { variantsOf } from "../src/static/variants.js";
export { versionMatch, versionsOfPage, versionsOfQuery } from "../src/static/versions.js";
