// Shown for a file that cannot be previewed: its type and size, and that it can be downloaded.

import type { ReactElement } from "react";
import type { FileRecord } from "threadhold/client";

import { bytes, count } from "../../kit/figures.ts";

import css from "./preview.module.css";

/** The note; the download button is above it. */
export function BytesNote({ file, why }: { file: FileRecord; why: string }): ReactElement {
  return (
    <div className={css["note"]}>
      <p className={css["why"]}>{why}</p>
      <dl className={css["facts"]}>
        <dt>Type</dt>
        <dd>{file.mimeType}</dd>
        <dt>Size</dt>
        <dd>{file.size < 1024 ? bytes(file.size) : `${bytes(file.size)} (${count(file.size)} bytes)`}</dd>
      </dl>
      <p className={css["hint"]}>Download it to open it with a program of yours.</p>
    </div>
  );
}
