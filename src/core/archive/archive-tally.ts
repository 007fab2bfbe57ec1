// Counts the lines of an export while it is written or imported.

import { noCounts } from "./archive-line.ts";
import type { ArchiveCounts, ArchiveLine } from "./archive-line.ts";

const counted = {
  branch: "branches",
  run: "runs",
  message: "messages",
  log: "logs",
  event: "events",
  folder: "folders",
} as const;

/** The counts of one export or import. */
export class ArchiveTally {
  readonly #counts = noCounts();
  #last = { files: 0, bytes: 0 };

  add(line: ArchiveLine): void {
    switch (line.type) {
      case "branch":
      case "run":
      case "message":
      case "log":
      case "event":
      case "folder":
        this.#counts[counted[line.type]] += 1;
        return;
      case "file":
        this.#last = { files: 1, bytes: line.file.url === undefined ? line.file.size : 0 };
        this.#addFile(1);
        return;
      case "void":
        this.#addFile(-1);
        this.#last = { files: 0, bytes: 0 };
        return;
      case "thread":
      case "chunk":
      case "end":
        return;
    }
  }

  #addFile(by: 1 | -1): void {
    this.#counts.files += by * this.#last.files;
    this.#counts.file_bytes += by * this.#last.bytes;
  }

  get counts(): ArchiveCounts {
    return { ...this.#counts };
  }
}
