type Key = (event: KeyboardEvent) => void;

const listeners: Key[] = [];

/** Cmd/Ctrl-K anywhere and `/` outside of fields call `onKey`; of several on one page the first. Returns what ends it. */
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
  event.preventDefault(); // the browser's own search bar, or the sign in the box
  listeners[0]?.(event);
}

/**
 * Cmd/Ctrl-K anywhere, or `/` outside of fields.
 *
 * @param isFirst Also if another script has reacted to it.
 */
export function isHotkey(event: KeyboardEvent, isFirst = false): boolean {
  if ((event.defaultPrevented && !isFirst) || event.isComposing || event.repeat || event.altKey) return false;
  // By its place too: other layouts have no Latin letters, where the key says `л`.
  const isK = event.key.toLowerCase() === "k" || (event.code === "KeyK" && !/^[a-z]$/i.test(event.key));
  const isCommand = isK && (event.metaKey || event.ctrlKey) && !event.shiftKey;
  return isCommand || (event.key === "/" && !event.metaKey && !event.ctrlKey && !isWriting(event.composedPath()[0]));
}

function isWriting(target: EventTarget | undefined): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input,textarea,select,[role=textbox]"));
}

const isApple = () => /mac|iphone|ipad/i.test(navigator.platform);

/** As keyboards of this machine call it. */
export function commandKey(): string {
  return isApple() ? "⌘K" : "Ctrl K";
}

export function optionKey(): string {
  return isApple() ? "⌥" : "Alt";
}
