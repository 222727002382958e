/** A text for each plural form of a language (`Intl.PluralRules`); `other` is the fallback. */
export type Plural = {
    other: string;
} & Partial<Record<Intl.LDMLPluralRule, string>>;
/** All texts of the components. `{count}`, `{query}` and `{name}` are replaced. */
export interface Labels {
    search: string;
    close: string;
    clear: string;
    results: string;
    count: Plural;
    searching: string;
    recent: string;
    pages: string;
    pinned: string;
    pin: string;
    unpin: string;
    suggested: string;
    clearRecent: string;
    remove: string;
    didYouMean: string;
    completions: string;
    weak: string;
    none: string;
    noneHint: string;
    /** Help for quoted phrases and excluded words. */
    syntax: string;
    unfilter: string;
    missing: string;
    filters: string;
    directory: string;
    tag: string;
    language: string;
    version: string;
    any: string;
    more: string;
    alike: Plural;
    failed: string;
    late: string;
    unreachable: string;
    /** The page was opened from disk, where browsers load neither the index nor the worker. */
    fromDisk: string;
    limited: Plural;
    retry: string;
    open: string;
    move: string;
}
/** All texts of `<searchsocket-page-actions>`. */
export interface ActionLabels {
    copy: string;
    copied: string;
    failed: string;
    view: string;
    /** `{name}` is the assistant's name. */
    open: string;
    /** The question to an assistant; `{url}` is the address of the page's Markdown. */
    prompt: string;
}
/** All texts of answers in sentences. */
export interface AnswerLabels {
    /** `{query}` is the question. */
    ask: string;
    /** Pattern of the first words of questions. */
    questions: string;
    answering: string;
    stop: string;
    back: string;
    caution: string;
    sources: string;
    copy: string;
    copyCode: string;
    helpful: string;
    unhelpful: string;
    thanks: string;
    followUp: string;
    /** Above code that no cited page contains. */
    unquoted: string;
    dropped: Plural;
    notCovered: string;
    unproved: string;
    /** The model, the budget or the service fails. */
    unavailable: string;
}
