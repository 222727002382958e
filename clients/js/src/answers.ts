// Importing this gives the elements with the attribute `answers` their answers in sentences.
import { AnswerView } from "./answers/view.js";
import type { SearchElement } from "./ui/element.js";

const attached = new WeakSet<EventTarget>();

// Each search says when it opens, which is before anybody can type; server rendering has no document.
globalThis.document?.addEventListener("searchsocket-open", ({ target }) => {
  const element = target as SearchElement;
  if (attached.has(element) || !element.hasAttribute("answers")) return;
  attached.add(element);
  new AnswerView(element, element.panel);
});
