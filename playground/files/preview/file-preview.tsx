// The preview of a file for its kind. Content that could run is shown as text or as an image; for content that the
// page's policy forbids, a note is shown.

import type { ReactElement } from "react";
import type { FileRecord, ThreadHandle } from "threadhold/client";

import { BytesNote } from "./bytes-note.tsx";
import type { FileKind } from "./file-kind.ts";
import { MediaPreview } from "./media-preview.tsx";
import { PicturePreview } from "./picture-preview.tsx";
import { TextPreview } from "./text-preview.tsx";

/** The rendered form, or the source text. */
export type Shape = "made" | "source";

interface FilePreviewProps {
  handle: ThreadHandle;
  file: FileRecord;
  kind: FileKind;
  shape: Shape;
  line: number | null;
}

export function FilePreview({ handle, file, kind, shape, line }: FilePreviewProps): ReactElement {
  switch (kind) {
    case "picture":
      return <PicturePreview handle={handle} file={file} />;
    case "drawing":
      if (shape === "made") return <PicturePreview handle={handle} file={file} />;
      return <TextPreview handle={handle} file={file} as="source" line={line} />;
    case "audio":
    case "video":
      return <MediaPreview handle={handle} file={file} kind={kind} />;
    case "pdf":
      return (
        <BytesNote file={file} why="A PDF is not shown inside of this page, which lets no document of others in." />
      );
    case "bytes":
      return <BytesNote file={file} why="There is no view of this kind of file." />;
    case "markdown":
    case "json":
      return <TextPreview handle={handle} file={file} as={shape === "source" ? "source" : kind} line={line} />;
    case "text":
      return <TextPreview handle={handle} file={file} as="source" line={line} />;
  }
}
