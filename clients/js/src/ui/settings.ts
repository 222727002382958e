/** Settings from the attributes of an element. */
export interface Settings {
  endpoint: string;
  /** Address of a static export that answers instead of a service; "" = use the service. */
  folder: string;
  site: string;
  scope: string;
  /** The directory to search; filters select within it. */
  within: string;
  /** Directories to choose from, with names; empty = those of the results. */
  directories: readonly (readonly [name: string, path: string])[];
  /** Version of the documentation: `auto` = the one of the page that the visitor is on. */
  version: string;
  facets: readonly string[];
  /** Address for reports of missing pages, with `{query}`; "" = no link. */
  missing: string;
  /** Suggested first queries. */
  suggestions: readonly string[];
  placeholder: string;
  limit: number;
  keepsRecent: boolean;
  marks: boolean;
  /** Address for reports of opened results; "" = none. */
  beacon: string;
}

const MAX_RESULTS = 50;
const USUAL_RESULTS = 15;
const STATIC_RESULTS = 8; // fewer, since the text of each is loaded

export const ATTRIBUTES = [
  "endpoint", "static", "site", "scope", "path-prefix", "directories", "facets", "version", "missing-url", "placeholder", "max-results", "recent", "marks",
  "suggestions", "beacon", "lang", "theme", "hotkeys",
] as const; // prettier-ignore

export function settingsOf(element: Element): Settings {
  const folder = element.hasAttribute("endpoint") ? "" : folderOf(element.getAttribute("static"));
  const text = (name: (typeof ATTRIBUTES)[number], or = "") => element.getAttribute(name)?.trim() || or;
  const list = (name: (typeof ATTRIBUTES)[number]) => text(name).split(",").map((one) => one.trim()).filter(Boolean);
  return {
    endpoint: text("endpoint", "/api/search"),
    folder,
    site: text("site"),
    scope: text("scope"),
    within: text("path-prefix"),
    directories: list("directories").map((one) => {
      const at = one.indexOf("=");
      return at < 0 ? [one, one] : [one.slice(0, at).trim(), one.slice(at + 1).trim()];
    }),
    version: text("version", "auto"),
    facets: list("facets"),
    missing: text("missing-url"),
    suggestions: list("suggestions"),
    placeholder: text("placeholder"),
    limit: Math.min(Math.max(Number.parseInt(text("max-results"), 10) || (folder ? STATIC_RESULTS : USUAL_RESULTS), 1), MAX_RESULTS),
    keepsRecent: text("recent") !== "off",
    marks: text("marks") !== "off",
    beacon: element.hasAttribute("beacon") ? text("beacon", folder ? "" : text("endpoint", "/api/search").replace(/[^/]*$/, "beacon")) : "",
  };
}

/** Without a value, the folder of this script. */
function folderOf(place: string | null): string {
  if (place === null) return "";
  return place.trim() ? new URL(place.trim(), document.baseURI).href : new URL(".", import.meta.url).href;
}
