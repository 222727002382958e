import { en } from "./en.js";
import type { Labels, Plural } from "./labels.js";

/** Each language is a file of its own, loaded when a page is in it. */
const LANGUAGES: Readonly<Record<string, () => Promise<{ default: Labels }>>> = {
  ar: () => import("./ar.js"),
  de: () => import("./de.js"),
  es: () => import("./es.js"),
  fr: () => import("./fr.js"),
  it: () => import("./it.js"),
  ja: () => import("./ja.js"),
  pt: () => import("./pt.js"),
  ru: () => import("./ru.js"),
  zh: () => import("./zh.js"),
};

/** What the components say, in one language. */
export class Words {
  readonly #plurals: Intl.PluralRules;
  readonly #names: Intl.DisplayNames;

  constructor(
    readonly language: string,
    readonly labels: Labels = en,
  ) {
    this.#plurals = new Intl.PluralRules(language);
    this.#names = new Intl.DisplayNames(language, { type: "language" });
  }

  filled(text: string, values: Readonly<Record<string, string>>): string {
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
  }

  counted(plural: Plural, count: number): string {
    const text = plural[this.#plurals.select(count)] ?? plural.other;
    return this.filled(text, { count: count.toLocaleString(this.language) });
  }

  nameOf(language: string): string {
    try {
      return this.#names.of(language) ?? language;
    } catch {
      return language; // a page may state anything
    }
  }
}

/** The words of a language, or English; `own` labels take the place of shipped ones. */
export async function wordsIn(language: string, own: Partial<Labels>): Promise<Words> {
  let code = language;
  try {
    new Intl.PluralRules(code);
  } catch {
    code = "en"; // no language at all
  }
  const shipped = LANGUAGES[code.toLowerCase().split(/[-_]/)[0]!];
  // Without its file, as where a site leaves it out, people still find in English.
  const labels = (await shipped?.().catch(() => null))?.default;
  return new Words(labels || Object.keys(own).length ? code : "en", { ...(labels ?? en), ...own });
}
