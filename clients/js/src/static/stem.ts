// English (Snowball 3, "Porter2"), as `searchsocket/text/words.py` stems; both sides run the same cases.
const EXCEPTIONS: Record<string, string> = {
  skis: "ski", skies: "sky", idly: "idl", gently: "gentl", ugly: "ugli", early: "earli", only: "onli", singly: "singl",
}; // prettier-ignore
const UNCHANGED = /^(?:andes|atlas|bias|cosmos|howe|news|sky)$/;
const FIRST_REGION = /^(?:arsen|commun|emerg|gener|inter|later|organ|past|univers)/;
const SHORT = /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy]|past)$/;
const STEP2: Record<string, string> = {
  anci: "ance", enci: "ence", ogi: "og", li: "", bli: "ble", abli: "able", alli: "al", fulli: "ful", lessli: "less", ousli: "ous",
  entli: "ent", aliti: "al", biliti: "ble", iviti: "ive", tional: "tion", ational: "ate", alism: "al", ation: "ate", ization: "ize",
  izer: "ize", ator: "ate", iveness: "ive", fulness: "ful", ousness: "ous", ogist: "og",
}; // prettier-ignore
const STEP3: Record<string, string> = {
  icate: "ic", ative: "", alize: "al", iciti: "ic", ical: "ic", tional: "tion", ational: "ate", ful: "", ness: "",
}; // prettier-ignore
const ENDINGS4 = ["ement", "ment", "ance", "ence", "able", "ible", "ant", "ent", "ate", "ive", "ize", "iti", "ism", "ion", "ous", "ic", "al", "er"];
const LONGEST2 = Object.keys(STEP2).sort((a, b) => b.length - a.length);
const LONGEST3 = Object.keys(STEP3).sort((a, b) => b.length - a.length);

/** The stem of a folded word. */
export function englishStem(word: string): string {
  if (word.length < 3 || UNCHANGED.test(word)) return word;
  if (Object.hasOwn(EXCEPTIONS, word)) return EXCEPTIONS[word]!;
  let text = word.replace(/^'/, "").replace(/^y/, "Y").replace(/([aeiouy])y/g, "$1Y");
  const r1 = text.match(FIRST_REGION)?.[0].length ?? region(text, 0);
  const r2 = region(text, r1);
  text = step1b(step1a(text), r1).replace(/(.[^aeiouy])[yY]$/s, "$1i");
  text = step2(text, r1);
  text = step3(text, r1, r2);
  const end = ENDINGS4.find((one) => text.endsWith(one));
  const at = text.length - (end?.length ?? 0);
  if (end && at >= r2 && (end !== "ion" || /[st]$/.test(text.slice(0, at)))) text = text.slice(0, at);
  const last = text.length - 1;
  if (text.endsWith("e") ? last >= r2 || (last >= r1 && !SHORT.test(text.slice(0, -1))) : text.endsWith("ll") && last >= r2) text = text.slice(0, -1);
  return text.replaceAll("Y", "y");
}

/** Behind the first consonant that follows a vowel. */
function region(text: string, from: number): number {
  const found = /[aeiouy]+[^aeiouy]/.exec(text.slice(from));
  return found ? from + found.index + found[0].length : text.length;
}

function step1a(word: string): string {
  const text = word.replace(/(?:'s'|'s|')$/, "");
  if (text.endsWith("sses")) return text.slice(0, -2);
  if (/ie[ds]$/.test(text)) return text.slice(0, text.length > 4 ? -2 : -1);
  return /s$/.test(text) && !/[us]s$/.test(text) && /[aeiouy]/.test(text.slice(0, -2)) ? text.slice(0, -1) : text;
}

function step1b(text: string, r1: number): string {
  const [end] = /(?:eedly|ingly|edly|eed|ing|ed)$/.exec(text) ?? [""];
  if (!end) return text;
  const rest = text.slice(0, text.length - end.length);
  if (end.startsWith("eed")) return rest.length >= r1 && !/^(?:succ|proc|exc)$/.test(rest) ? `${rest}ee` : text;
  if (end === "ing") {
    if (/^[^aeiouy]y$/.test(rest)) return `${rest[0]}ie`;
    if (/^(?:even|cann|inn|earr|herr|out)$/.test(rest)) return text;
  }
  if (!/[aeiouy]/.test(rest)) return text;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(rest)) return /^[aeo]..$/.test(rest) ? rest : rest.slice(0, -1);
  return rest.length === r1 && SHORT.test(rest) ? `${rest}e` : rest;
}

function step2(text: string, r1: number): string {
  const end = LONGEST2.find((one) => text.endsWith(one));
  const rest = end ? text.slice(0, -end.length) : "";
  if (!end || rest.length < r1) return text;
  if ((end === "ogi" && !rest.endsWith("l")) || (end === "li" && !/[cdeghkmnrt]$/.test(rest))) return text;
  return rest + STEP2[end];
}

function step3(text: string, r1: number, r2: number): string {
  const end = LONGEST3.find((one) => text.endsWith(one));
  const rest = end ? text.slice(0, -end.length) : "";
  return !end || rest.length < r1 || (end === "ative" && rest.length < r2) ? text : rest + STEP3[end];
}

const ARABIC_PREFIXES = ["وال", "بال", "كال", "فال", "لل", "ال", "و"];
const ARABIC_SUFFIXES = ["ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي"];

export function arabicStem(word: string): string {
  const prefix = ARABIC_PREFIXES.find((one) => word.startsWith(one) && word.length - one.length >= 3) ?? "";
  let text = word.slice(prefix.length);
  for (const suffix of ARABIC_SUFFIXES) if (text.endsWith(suffix) && text.length - suffix.length >= 3) text = text.slice(0, -suffix.length);
  return text;
}
