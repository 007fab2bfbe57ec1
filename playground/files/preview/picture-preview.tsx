// An image file of the thread. A small one is loaded at once; a large one shows a thumbnail until the user asks for the
// whole.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactElement } from "react";
import type { FileRecord, ThreadHandle } from "threadhold/client";

import { Button } from "../../kit/button.tsx";
import { bytes } from "../../kit/figures.ts";
import { ErrorNote, LoadingNote } from "../../kit/note.tsx";
import { useObjectUrl } from "../../kit/use-object-url.ts";
import { visibleText } from "../../kit/visible-text.ts";

import css from "./preview.module.css";

/** Images up to this size are loaded at once. */
const atOnceBytes = 2 * 1024 * 1024;

/** The image. An SVG is drawn as an image too, so none of its scripts run, and it loads nothing. */
export function PicturePreview({ handle, file }: { handle: ThreadHandle; file: FileRecord }): ReactElement {
  const [wanted, setWanted] = useState(false);
  const whole = wanted || file.size <= atOnceBytes;
  const { path, size, updatedAt, name } = file;
  const { data, error, refetch } = useQuery({
    queryKey: ["files", handle.id, "picture", path, size, updatedAt, whole],
    queryFn: async ({ signal }) =>
      whole ? (await handle.files.download(path, { signal })).blob() : handle.files.thumbnail(path, { signal }),
    staleTime: Infinity,
    gcTime: 60_000,
  });
  const url = useObjectUrl(data);
  const [broken, setBroken] = useState(false);
  const label = visibleText(name);
  return (
    <div className={css["picturePlace"]}>
      {error !== null && whole ? (
        <ErrorNote title="The picture could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : null}
      {error !== null && !whole ? <p className={css["hint"]}>There is no small picture of it.</p> : null}
      {error === null && url === null ? <LoadingNote what={label} /> : null}
      {broken ? (
        <p className={css["hint"]}>The browser cannot draw it. Download it to see whether it is whole.</p>
      ) : null}
      {url === null || broken ? null : (
        <img className={css["picture"]} src={url} alt={label} onError={() => setBroken(true)} />
      )}
      <p className={css["caption"]}>
        {file.width === undefined || file.height === undefined ? null : `${file.width} × ${file.height} pixels`}
        {whole ? null : (
          <Button small onClick={() => setWanted(true)}>
            Show the whole picture ({bytes(size)})
          </Button>
        )}
      </p>
    </div>
  );
}
