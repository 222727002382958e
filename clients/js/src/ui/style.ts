const HIDDEN = "position: absolute; inline-size: 1px; block-size: 1px; min-inline-size: 0; min-block-size: 0; padding: 0; overflow: hidden; clip-path: inset(50%);"; // from sight
const SMALL = "min-inline-size: 2.75rem; justify-content: center;"; // a button without text
const SEEN = "> :is(.tools:not(.hidden), .message:not(:empty), .list:not([hidden]))"; // of the popup

/** Colours and sizes are variables of the element, parts are styled with `::part`; light and dark follow `color-scheme`. */
export const CSS = `
:host {
  --rem: var(--searchsocket-font-size, 1REM);
  --accent: var(--searchsocket-accent, light-dark(#1a56c4, #8ab4ff));
  --back: var(--searchsocket-background, light-dark(#fff, #1b1d22));
  --raised: var(--searchsocket-raised, light-dark(#f3f5f8, #262930));
  --text: var(--searchsocket-text, light-dark(#1c1e21, #e8eaed));
  --muted: var(--searchsocket-muted, light-dark(#59606b, #a4abb6));
  --line: var(--searchsocket-border, light-dark(#d9dde3, #3a3e47));
  --mark: var(--searchsocket-mark, light-dark(#ffe9a3, #5c4a10));
  --chosen: var(--searchsocket-active, light-dark(#e6eefc, #2b3a55));
  --wrong: var(--searchsocket-error, light-dark(#a4262c, #ff9b9b));
  --radius: var(--searchsocket-radius, 10px);
  --width: var(--searchsocket-width, 44rem);
  display: inline-block;
  font: 1rem/1.45 var(--searchsocket-font, system-ui, sans-serif);
  color: var(--text);
  text-align: start;
  text-transform: none;
  letter-spacing: normal;
  white-space: normal;
}
:host([hidden]) { display: none; }
:host([compact]) .trigger { ${SMALL} }
:host([theme=light]) { color-scheme: light; }
:host([theme=dark]) { color-scheme: dark; }
:host([theme=auto]) { color-scheme: light dark; }
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
p { margin: 0; }
button, input, select { font: inherit; color: inherit; letter-spacing: inherit; }
button { cursor: pointer; background: none; border: 0; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
svg { inline-size: 1.15em; block-size: 1.15em; flex: none; fill: none; stroke: currentColor; stroke-width: 1.7; stroke-linecap: round; stroke-linejoin: round; color: var(--muted); }
mark { background: var(--mark); color: var(--text); border-radius: 2px; }
kbd { font: inherit; font-size: .75rem; padding: 0 .35em; border: 1px solid var(--line); border-radius: 4px; color: var(--muted); }
.trigger { display: inline-flex; align-items: center; gap: .5rem; min-inline-size: 11rem; min-block-size: 2.5rem; padding: .3rem .7rem; background: var(--raised); border: 1px solid var(--line); border-radius: var(--radius); color: var(--muted); }
.trigger span { flex: 1; text-align: start; }
.trigger kbd { min-inline-size: 2.6rem; text-align: center; border-color: color-mix(in srgb, currentColor 35%, transparent); }
.trigger :is(svg, kbd) { color: inherit; }
dialog { inline-size: min(var(--width), calc(100vw - 2rem)); max-inline-size: none; max-block-size: min(38rem, 80dvh); margin: 10dvh auto auto; padding: 0; border: 1px solid var(--line); border-radius: calc(var(--radius) + 4px); background: var(--back); color: var(--text); box-shadow: 0 20px 60px rgb(0 0 0/.3); overflow: hidden; }
dialog[open] { display: flex; flex-direction: column; }
dialog.settling { transition: block-size .2s .7s; }
dialog::backdrop { background: rgb(10 12 18/.5); }
.panel { display: flex; flex-direction: column; flex: auto; min-block-size: 0; }
.bar { display: flex; align-items: center; gap: .6rem; padding: .35rem .9rem; position: relative; flex: none; }
.bar:has(+ .popup ${SEEN}) { border-block-end: 1px solid var(--line); }
.bar > svg { color: var(--accent); }
input { flex: 1; min-inline-size: 0; min-block-size: 2.75rem; padding: 0; font-size: 1.125rem; background: none; border: 0; outline: 0; appearance: none; }
input:focus-visible { outline: 0; }
input::placeholder { color: var(--muted); opacity: 1; }
input::-webkit-search-cancel-button { display: none; }
.quiet { display: grid; place-items: center; min-inline-size: 2.25rem; min-block-size: 2.25rem; padding: 0 .3rem; border-radius: 6px; color: var(--muted); font-size: .875rem; }
.quiet:hover { background: var(--raised); }
.bar::after { content: ""; position: absolute; inset-inline: 0; inset-block-end: -1px; block-size: 2px; background: var(--accent); opacity: 0; transform: scaleX(.25); }
.busy::after { opacity: 1; transition: opacity 0s .3s; }
.popup { display: flex; flex-direction: column; flex: auto; min-block-size: 0; background: var(--back); }
.tools { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem .6rem; min-block-size: 2.9rem; padding: .4rem .9rem; color: var(--muted); font-size: .875rem; flex: none; }
.tools > * { flex: none; max-inline-size: 100%; }
.suggestions { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem; }
.chip { max-inline-size: 100%; overflow-wrap: anywhere; }
.chip, .filter { padding: .2rem .65rem; border: 1px solid var(--line); border-radius: 99px; background: var(--back); color: var(--text); font-size: .8125rem; min-block-size: 1.9rem; }
.chip:hover, .filter:hover { border-color: var(--accent); }
.filters { display: flex; flex-wrap: wrap; gap: .4rem; margin-inline-start: auto; }
.filter { max-inline-size: min(11rem, 100%); text-overflow: ellipsis; }
.set { border-color: var(--accent); color: var(--accent); }
.message { padding-inline: .9rem; flex: none; }
.message > * { margin-block: .1rem .7rem; }
.weak { color: var(--muted); }
.message:has(.none, .error) { flex: 1; padding-block: 2.5rem; text-align: center; color: var(--muted); overflow: auto; overflow-wrap: anywhere; }
.none strong { color: var(--text); font-weight: 600; }
.error { color: var(--wrong); }
.action, .missing { color: var(--accent); text-decoration: underline; text-underline-offset: 2px; padding: .35rem .2rem; font-size: .8125rem; }
.message .action { display: inline-block; padding: .45rem 1rem; border: 1px solid var(--line); border-radius: var(--radius); text-decoration: none; }
.list { flex: auto; min-block-size: 0; overflow: hidden auto; overscroll-behavior: contain; padding: .1rem .6rem .6rem; scroll-padding-block: .6rem; }
.page { margin-block-end: .35rem; }
a, .recent { display: grid; grid-template-columns: auto minmax(0, 1fr); column-gap: .7rem; padding: .5rem .7rem; border-radius: var(--radius); color: inherit; text-decoration: none; cursor: pointer; overflow-wrap: anywhere; }
a.missing { display: inline; }
:is(.result, .section) > svg { grid-row: 1; margin-block-start: .15em; }
:is(.result, .section) > span { grid-column: 2; }
[aria-selected=true] { background: var(--chosen); }
.title { font-weight: 600; }
.in { font-weight: 400; }
.path { unicode-bidi: isolate; color: var(--muted); font-size: .8125rem; }
.snippet { color: var(--muted); font-size: .875rem; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
[aria-selected=true] :is(.snippet, .path) { color: var(--text); }
.heading { padding: .55rem .7rem .15rem; color: var(--muted); font-size: .8125rem; font-weight: 600; }
.section { margin-inline-start: 1.1rem; border-start-start-radius: 0; border-end-start-radius: 0; border-inline-start: 2px solid var(--line); padding-block: .35rem; }
.section .title { font-weight: 500; font-size: .9375rem; }
.section .snippet { -webkit-line-clamp: 1; }
.page .lines { -webkit-line-clamp: 5; white-space: pre-wrap; }
.section[aria-selected=true] { border-color: var(--accent); }
.alike { padding: .2rem .7rem .2rem 2.6rem; color: var(--muted); font-size: .8125rem; }
.recent { grid-template-columns: auto 1fr auto auto; column-gap: .4rem; align-items: center; min-block-size: 2.6rem; padding-block: .2rem; }
.recent > svg { margin-inline-end: .3rem; }
.recent .title { font-weight: 400; }
.recent .in { color: var(--muted); }
.tool { display: grid; place-items: center; inline-size: 2.25rem; block-size: 2.25rem; border-radius: 6px; }
.tool:hover { background: var(--line); }
.remove { grid-column: 4; }
.pinned .pin svg { fill: var(--accent); color: var(--accent); }
.foot { display: flex; flex-wrap: wrap; justify-content: flex-end; margin-block-start: auto; align-items: center; gap: .2rem 1rem; min-block-size: 2.6rem; padding: .2rem .9rem; border-block-start: 1px solid var(--line); color: var(--muted); font-size: .8125rem; flex: none; }
.keys { margin-inline-end: auto; }
.foot:has(button, a) .syntax { order: 1; inline-size: 100%; }
:host(searchsocket-box) { display: block; position: relative; inline-size: 100%; max-inline-size: var(--width); }
:host(searchsocket-box) .bar { border: 1px solid var(--line); border-radius: var(--radius); background: var(--back); padding-block: 0; }
:host(searchsocket-box) .bar:focus-within { border-color: var(--accent); outline: 1px solid var(--accent); }
:host(searchsocket-box) .bar::after { inset-block-end: 0; inset-inline: var(--radius); }
:host(searchsocket-box) .popup { position: absolute; z-index: var(--searchsocket-z-index, 100); inset-block-start: calc(100% + .4rem); inset-inline: 0; max-block-size: min(32rem, 70dvh); border: 1px solid var(--line); border-radius: var(--radius); box-shadow: 0 12px 32px rgb(0 0 0/.2); overflow: hidden; }
:host(searchsocket-box) .popup:not(:has(${SEEN})) { border: 0; }
@media (max-width: 40em) {
  dialog { inline-size: 100vw; block-size: 100dvh; max-block-size: none; margin: 0; border: 0; border-radius: 0; }
  .bar { padding-inline: .6rem; }
  .foot { justify-content: space-between; }
  .trigger { ${SMALL} }
  .trigger > :not(svg) { ${HIDDEN} }
}
@media (max-width: 40em), (hover: none) {
  .keys { display: none; }
}
@media (pointer: coarse) {
  :is(button, input, select, a, .recent, .tool) { min-inline-size: 44px; min-block-size: 44px; }
  a.missing { display: inline-grid; align-items: center; }
  .tools { min-block-size: 3.4rem; }
}
@media (prefers-reduced-motion: no-preference) {
  dialog[open] { animation: rise .12s ease-out; }
  .busy::after { animation: sweep 1s .3s infinite alternate ease-in-out; }
  @keyframes rise { from { opacity: 0; transform: translateY(-6px); } }
  @keyframes sweep { from { transform: translateX(-35%) scaleX(.25); } to { transform: translateX(35%) scaleX(.25); } }
}
@media (forced-colors: active) {
  [aria-selected=true] { outline: 2px solid Highlight; outline-offset: -2px; }
  mark { background: Mark; color: MarkText; }
}
:host([compact]) .trigger > :not(svg), .hidden { ${HIDDEN} }
`;
