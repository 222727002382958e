// Importing this defines <searchsocket-dialog> and <searchsocket-box>, and shows the match of the last search.
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
  // Loading it twice on one page, as with two bundles, is no error.
  if (!customElements.get("searchsocket-dialog")) customElements.define("searchsocket-dialog", SearchDialog);
  if (!customElements.get("searchsocket-box")) customElements.define("searchsocket-box", SearchBox);
  followMatch();
}
