import type { ActionLabels, AnswerLabels, Labels } from "./labels.js";

/** All that is said in one language. */
interface Language {
  default: Labels;
  actions: ActionLabels;
  answers: AnswerLabels;
}

/** Each language is a file of its own, loaded when a page is in it. */
const LANGUAGES: Readonly<Record<string, () => Promise<Language>>> = {
  ar: () => import("./ar.js"),
  ca: () => import("./ca.js"),
  cs: () => import("./cs.js"),
  da: () => import("./da.js"),
  de: () => import("./de.js"),
  el: () => import("./el.js"),
  es: () => import("./es.js"),
  fa: () => import("./fa.js"),
  fi: () => import("./fi.js"),
  fr: () => import("./fr.js"),
  he: () => import("./he.js"),
  hi: () => import("./hi.js"),
  hu: () => import("./hu.js"),
  id: () => import("./id.js"),
  it: () => import("./it.js"),
  ja: () => import("./ja.js"),
  ko: () => import("./ko.js"),
  nb: () => import("./nb.js"),
  nl: () => import("./nl.js"),
  pl: () => import("./pl.js"),
  pt: () => import("./pt.js"),
  ro: () => import("./ro.js"),
  ru: () => import("./ru.js"),
  sk: () => import("./sk.js"),
  sv: () => import("./sv.js"),
  tr: () => import("./tr.js"),
  uk: () => import("./uk.js"),
  vi: () => import("./vi.js"),
  zh: () => import("./zh.js"),
  "zh-hant": () => import("./zh-hant.js"),
};
const OTHER_NAMES: Readonly<Record<string, string>> = { no: "nb", nn: "nb", iw: "he", in: "id" };

/** What is said in a language; undefined where it is not shipped, or a site left its file out. */
export async function shipped(language: string): Promise<Language | undefined> {
  return LANGUAGES[labelFile(language)]?.().catch(() => undefined);
}

/** The name of the file of labels for a language, whether it is shipped or not. */
export function labelFile(language: string): string {
  const code = language.toLowerCase().replaceAll("_", "-");
  const base = code.split("-")[0]!;
  return /^zh\b.*-(hant|tw|hk|mo)\b/.test(code) ? "zh-hant" : (OTHER_NAMES[base] ?? base);
}

/** The language of the text around an element, also through the shadow roots that it lies in; else the visitor's. */
export function languageAround(element: Element): string {
  for (let at: Element | null = element; at; ) {
    const stated = at.closest("[lang]");
    if (stated) return stated.getAttribute("lang") || "en";
    const root = at.getRootNode();
    at = root instanceof ShadowRoot ? root.host : null;
  }
  return navigator.language || "en";
}

/** Call when the page changes its language without a load; returns what ends it. */
export function onLanguage(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["lang"] });
  return () => observer.disconnect();
}
