// A classic script for pages that are opened from disk, where browsers run no module: it explains that instead of searching.
import { labelFile, languageAround } from "./labels/shipped.js";

/** The label `fromDisk` of each language; the build puts it here. */
declare const FROM_DISK: Readonly<Record<string, string>>;

if (location.protocol === "file:") {
  // Browsers that are configured to run modules from disk run them before this event.
  addEventListener("load", () => {
    for (const element of document.querySelectorAll("searchsocket-dialog:not(:defined), searchsocket-box:not(:defined)")) {
      element.textContent = FROM_DISK[labelFile(languageAround(element))] ?? FROM_DISK.en!;
    }
  });
}
