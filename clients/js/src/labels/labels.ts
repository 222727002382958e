/** A text for each plural form of a language (`Intl.PluralRules`); `other` stands for those that are not there. */
export type Plural = { other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;

/** All that the components say. `{count}`, `{query}` and `{name}` stand for what they are about. */
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
  /** How to require a phrase and to exclude a word. */
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

/** All that `<searchsocket-page-actions>` says. */
export interface ActionLabels {
  copy: string;
  copied: string;
  failed: string;
  view: string;
  /** `{name}` is the assistant. */
  open: string;
  /** What an assistant is asked; `{url}` is the page's Markdown. */
  prompt: string;
}
