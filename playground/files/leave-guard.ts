// Asks before the page is closed where that would lose something: text that is not saved, files on their way.

import { drafts, isChanged } from "./edit/file-drafts.ts";
import { areUploadsBusy } from "./upload/thread-uploads.ts";

let guarding = false;

/** Begins to ask; from then on as long as the page is there. */
export function guardLeaving(): void {
  if (guarding) return;
  guarding = true;
  addEventListener("beforeunload", (event) => {
    if (drafts.get().some(isChanged) || areUploadsBusy()) event.preventDefault();
  });
}
