type Key = (event: KeyboardEvent) => void;

const listeners: Key[] = [];

/** Call `onKey` on Cmd/Ctrl-K anywhere and on `/` outside fields, for the first element of a page. Returns a function that stops it. */
export function onHotkey(onKey: Key): () => void {
  if (!listeners.length) document.addEventListener("keydown", heard);
  listeners.push(onKey);
  return () => {
    listeners.splice(listeners.indexOf(onKey), 1);
    if (!listeners.length) document.removeEventListener("keydown", heard);
  };
}

function heard(event: KeyboardEvent): void {
  if (!isHotkey(event)) return;
  event.preventDefault(); // no search bar of the browser, no `/` in the field
  listeners[0]?.(event);
}

/**
 * Return true for Cmd/Ctrl-K anywhere, or `/` outside fields.
 *
 * @param isFirst Also if another script has handled the event.
 */
export function isHotkey(event: KeyboardEvent, isFirst = false): boolean {
  if ((event.defaultPrevented && !isFirst) || event.isComposing || event.repeat || event.altKey) return false;
  // Also by its position: on layouts without Latin letters, the key is `л`.
  const isK = event.key.toLowerCase() === "k" || (event.code === "KeyK" && !/^[a-z]$/i.test(event.key));
  const isCommand = isK && (event.metaKey || event.ctrlKey) && !event.shiftKey;
  return isCommand || (event.key === "/" && !event.metaKey && !event.ctrlKey && !isWriting(event.composedPath()[0]));
}

function isWriting(target: EventTarget | undefined): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input,textarea,select,[role=textbox]"));
}

const isApple = () => /mac|iphone|ipad/i.test(navigator.platform);

/** The name of the modifier key on this platform. */
export function commandKey(): string {
  return isApple() ? "⌘K" : "Ctrl K";
}

export function optionKey(): string {
  return isApple() ? "⌥" : "Alt";
}
