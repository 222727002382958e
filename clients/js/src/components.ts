// Importing this defines <searchsocket-dialog> and <searchsocket-box>, and shows the match that the last search left.
import { followMatch } from "./match/show.js";
import { SearchBox } from "./ui/box.js";
import { SearchDialog } from "./ui/dialog.js";

export type { Labels, Plural } from "./labels/labels.js";
export { SearchBox, SearchDialog };

declare global {
  interface HTMLElementTagNameMap {
    "searchsocket-dialog": SearchDialog;
    "searchsocket-box": SearchBox;
  }
}

if (globalThis.customElements) {
  // Twice on one page, as by two bundles, is no error.
  if (!customElements.get("searchsocket-dialog")) customElements.define("searchsocket-dialog", SearchDialog);
  if (!customElements.get("searchsocket-box")) customElements.define("searchsocket-box", SearchBox);
  followMatch();
}
