/** What the attributes of an element say. */
export interface Settings {
    endpoint: string;
    /** Address of the folder of a static export, which answers in place of a service; "" = a service does. */
    folder: string;
    site: string;
    scope: string;
    /** The directory that is searched, whatever filter is chosen below it. */
    within: string;
    /** Directories to choose from, with names; empty = those of the results. */
    directories: readonly (readonly [name: string, path: string])[];
    /** Version of the documentation: `auto` = the one of the page that the visitor is on. */
    version: string;
    facets: readonly string[];
    /** An address with `{query}` where people say what is missing; "" = no such link. */
    missing: string;
    /** Queries to begin with. */
    suggestions: readonly string[];
    placeholder: string;
    limit: number;
    keepsRecent: boolean;
    marks: boolean;
    /** Where opened results are reported; "" = nowhere. */
    beacon: string;
}
export declare const ATTRIBUTES: readonly ["endpoint", "static", "site", "scope", "path-prefix", "directories", "facets", "version", "missing-url", "placeholder", "max-results", "recent", "marks", "suggestions", "beacon", "lang", "theme", "hotkeys"];
export declare function settingsOf(element: Element): Settings;
