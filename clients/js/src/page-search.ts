// The search of a built page, which `searchsocket static` adds as one script. The search field or button of the theme
// opens it; a page without one gets a button in its header.
import "./components.js";
import { put } from "./page/place.js";
import { hasTrigger, triggerOf } from "./page/trigger.js";
import type { SearchDialog } from "./ui/dialog.js";
import { isHotkey } from "./ui/hotkeys.js";

if (!document.querySelector("searchsocket-dialog, searchsocket-box")) {
  // Apps rearrange their elements while they start, and remove unknown ones.
  const isApp = [...document.scripts].some(({ src }) => src && src !== import.meta.url);
  // Idle: an app may work in several tasks after the page has loaded.
  const later = () => ("requestIdleCallback" in globalThis ? requestIdleCallback(start, { timeout: 2000 }) : setTimeout(start, 500));
  if (!isApp) start();
  else if (document.readyState === "complete") later();
  else addEventListener("load", later, { once: true });
}

function start(): void {
  if (document.querySelector("searchsocket-dialog, searchsocket-box")) return; // the site's own script created one
  const dialog = document.createElement("searchsocket-dialog");
  dialog.setAttribute("static", "");
  const { answers } = [...document.scripts].find(({ src }) => src === import.meta.url)?.dataset ?? {};
  if (answers) {
    dialog.setAttribute("answers", answers);
    import(`${answers}/dialog.js`).catch(console.error); // the search works without answers
  }
  show(dialog);
  follow(dialog);
  // An app that renders its header again removes our button.
  new MutationObserver(() => dialog.isConnected || show(dialog)).observe(document.documentElement, { childList: true, subtree: true });
}

function show(dialog: SearchDialog): void {
  dress(dialog);
  dialog.replaceChildren();
  dialog.removeAttribute("style");
  if (!hasTrigger()) return put(dialog);
  dialog.append(document.createElement("span")); // replaces the button
  dialog.style.position = "fixed"; // it takes no space
  document.body.append(dialog);
}

/** Open the dialog instead of the theme's search, before the theme handles the event. */
function follow(dialog: SearchDialog): void {
  const listen = <K extends keyof WindowEventMap>(name: K, react: (event: WindowEventMap[K]) => unknown) =>
    addEventListener(name, (event) => dialog.isOpen || react(event), { capture: true });
  const instead = (event: Event, open?: () => void) => {
    event.stopImmediatePropagation();
    if (!open) return;
    event.preventDefault();
    dress(dialog);
    document.querySelectorAll("dialog[open]").forEach((other) => (other as HTMLDialogElement).close()); // the theme may have opened its own
    open();
  };
  listen("keydown", (event) => {
    const isField = event.key === "Enter" && event.target instanceof HTMLInputElement;
    if (isHotkey(event, true) || (isField && triggerOf(event))) instead(event, () => dialog.open());
  });
  listen("click", (event) => triggerOf(event) && instead(event, () => dialog.open()));
  listen("beforeinput", (event) => event.data && triggerOf(event) && instead(event, () => dialog.search(event.data!)));
  listen("mousedown", (event) => triggerOf(event) && (event.preventDefault(), instead(event))); // do not focus the field
  for (const name of ["pointerdown", "touchstart", "focusin", "focus"] as const) listen(name, (event) => triggerOf(event) && instead(event));
}

/** Copy the page's font and its light or dark scheme. */
function dress(dialog: SearchDialog): void {
  const { fontFamily } = getComputedStyle(document.body);
  dialog.style.setProperty("--searchsocket-font", fontFamily);
  dialog.style.setProperty("--searchsocket-font-size", "16px");
  const lightness = lightnessOf(document.body) ?? lightnessOf(document.documentElement);
  if (lightness === null) dialog.removeAttribute("theme");
  else dialog.setAttribute("theme", lightness < 0.5 ? "dark" : "light");
}

/** Brightness from 0 to 1; null if the background is transparent. */
function lightnessOf(element: Element): number | null {
  const [red = 0, green = 0, blue = 0, alpha = 1] = (getComputedStyle(element).backgroundColor.match(/[\d.]+/g) ?? []).map(Number);
  return alpha < 0.5 ? null : (0.3 * red + 0.6 * green + 0.1 * blue) / 255;
}
