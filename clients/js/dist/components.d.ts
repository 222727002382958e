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
