// A classic script for pages that are opened from disk, where browsers run no module: it says so in place of the search.
import { labelFile, languageAround } from "./labels/shipped.js";

/** The label `fromDisk` of each language; the build puts it here. */
declare const FROM_DISK: Readonly<Record<string, string>>;

if (location.protocol === "file:") {
  // Modules run before this event, in browsers that were told to run them.
  addEventListener("load", () => {
    for (const element of document.querySelectorAll("searchsocket-dialog:not(:defined), searchsocket-box:not(:defined)")) {
      element.textContent = FROM_DISK[labelFile(languageAround(element))] ?? FROM_DISK.en!;
    }
  });
}
