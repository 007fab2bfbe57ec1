// A file as its kind is shown. What could run is text, or a picture; what the page's policy lets nobody show is said to be so.

import type { ReactElement } from "react";
import type { FileRecord, ThreadHandle } from "threadhold/client";

import { BytesNote } from "./bytes-note.tsx";
import type { FileKind } from "./file-kind.ts";
import { MediaPreview } from "./media-preview.tsx";
import { PicturePreview } from "./picture-preview.tsx";
import { TextPreview } from "./text-preview.tsx";

/** What its kind makes of it, or the text as it is. */
export type Shape = "made" | "source";

interface FilePreviewProps {
  handle: ThreadHandle;
  file: FileRecord;
  kind: FileKind;
  shape: Shape;
  line: number | null;
}

/** The file. */
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
