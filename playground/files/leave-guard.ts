// Asks before the page is closed if that would lose something: unsaved text, or running uploads.

import { drafts, isChanged } from "./edit/file-drafts.ts";
import { areUploadsBusy } from "./upload/thread-uploads.ts";

let guarding = false;

/** Adds the handler, once for the page. */
export function guardLeaving(): void {
  if (guarding) return;
  guarding = true;
  addEventListener("beforeunload", (event) => {
    if (drafts.get().some(isChanged) || areUploadsBusy()) event.preventDefault();
  });
}
