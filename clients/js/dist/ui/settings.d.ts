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
export declare const ATTRIBUTES: readonly ["endpoint", "static", "site", "scope", "path-prefix", "directories", "facets", "version", "missing-url", "placeholder", "max-results", "recent", "marks", "suggestions", "beacon", "lang", "theme", "hotkeys"];
export declare function settingsOf(element: Element): Settings;
