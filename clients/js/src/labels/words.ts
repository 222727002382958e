import { en } from "./en.js";
import type { Labels, Plural } from "./labels.js";
import { shipped } from "./shipped.js";

/** All texts of the components in one language. */
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
      return language; // a page may state an invalid language
    }
  }
}

/** The words of a language, or English; `own` labels replace the shipped ones. */
export async function wordsIn(language: string, own: Partial<Labels>): Promise<Words> {
  let code = language;
  try {
    new Intl.PluralRules(code);
  } catch {
    code = "en"; // not a valid language
  }
  // If the language file is missing, the components use English.
  const labels = (await shipped(code))?.default;
  return new Words(labels || Object.keys(own).length ? code : "en", { ...(labels ?? en), ...own });
}
