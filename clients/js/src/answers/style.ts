/** Colours and sizes are those of the search, see `ui/style.ts`. */
export const CSS = `
.answering > :not(.answer) { display: none !important; }
.answer { flex: auto; min-block-size: 12rem; overflow: hidden auto; overscroll-behavior: contain; padding: .6rem .9rem .9rem; outline: 0; }
.answer a { display: inline; padding: 0; }
.answer h2 { margin: 0 0 .35rem; font-size: 1.0625rem; overflow-wrap: anywhere; }
.answer article + article { margin-block-start: 1rem; padding-block-start: 1rem; border-block-start: 1px solid var(--line); }
.answer article > p, .answer ul { margin-block: .5rem; }
.answer ul { padding-inline: 1.4rem; }
.answer li { margin-block: .2rem; }
.answer code { font: .875em/1.4 ui-monospace, monospace; background: var(--raised); border-radius: 4px; padding: .05em .3em; overflow-wrap: anywhere; }
.answer figure { margin: .6rem 0; border: 1px solid var(--line); border-radius: var(--radius); background: var(--raised); }
.answer pre { margin: 0; padding: .6rem .7rem; overflow: auto; }
.answer pre code { padding: 0; background: none; white-space: pre; }
.answer figcaption { display: flex; align-items: center; gap: .5rem; padding-inline: .7rem .3rem; border-block-end: 1px solid var(--line); color: var(--muted); font-size: .8125rem; min-block-size: 2.25rem; }
.answer .cite { display: inline-block; min-inline-size: 1.35rem; margin-inline-start: .2rem; padding: 0 .3rem; border: 1px solid var(--line); border-radius: 99px; color: var(--accent); font-size: .75rem; line-height: 1.3rem; text-align: center; vertical-align: .1em; }
.answer .cite:hover { border-color: var(--accent); background: var(--chosen); }
.answer .note { color: var(--muted); font-size: .8125rem; }
.answer .row { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem .5rem; margin-block-start: .5rem; }
.answer .links { list-style: none; padding: 0; margin-block: .3rem; font-size: .875rem; }
.answer .links a { color: var(--accent); text-decoration: underline; text-underline-offset: 2px; padding-block: .25rem; }
.answer .tell { border: 1px solid var(--line); min-block-size: 2rem; padding: .15rem .6rem; color: var(--text); }
.answer figcaption .tell { margin-inline-start: auto; border: 0; }
.answer .tell:disabled { color: var(--muted); cursor: default; }
.answer form { display: flex; gap: .5rem; margin-block-start: .9rem; }
.answer input { border: 1px solid var(--line); border-radius: var(--radius); padding-inline: .7rem; font-size: 1rem; }
.answer input:focus-visible { border-color: var(--accent); outline: 1px solid var(--accent); }
.ask .title { overflow-wrap: anywhere; }
.ask svg { color: var(--accent); }
@media (pointer: coarse) { .answer .cite { min-inline-size: 2rem; min-block-size: 1.75rem; line-height: 1.75rem; } }
`;
