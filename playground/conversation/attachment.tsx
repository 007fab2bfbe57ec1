// A file of the thread in a message: an image is drawn, any other file is a name that can be saved. Files need the
// visitor's token, which no address may contain, so the client loads their bytes.

import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ReactElement } from "react";
import type { ThreadHandle } from "threadhold/client";
import { Link } from "wouter";

import { filesAddress } from "../files/file-address.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { bytes } from "../kit/figures.ts";
import { Icon } from "../kit/icon.tsx";
import { wordsOf } from "../kit/note.tsx";
import { saveBlob } from "../kit/save-blob.ts";
import { useObjectUrl } from "../kit/use-object-url.ts";
import { VisibleName } from "../kit/visible-name.tsx";
import { visibleText } from "../kit/visible-text.ts";

import css from "./attachment.module.css";

/** The known fields of the file. */
export interface ShownFile {
  path: string | null;
  url: string | null;
  name: string;
  type: string;
  size: number | null;
  width: number | null;
  height: number | null;
}

/** Types that a browser draws as images. Scripts in an SVG image do not run, and it loads nothing. */
const drawn = /^image\/(png|jpeg|gif|webp|avif|svg\+xml)$/;
const mostPictureBytes = 12 * 1024 * 1024;

export function Attachment({ handle, file }: { handle: ThreadHandle; file: ShownFile }): ReactElement {
  const isPicture = drawn.test(file.type) && file.path !== null && (file.size ?? 0) <= mostPictureBytes;
  return (
    <figure className={css["attachment"]}>
      {isPicture ? <Picture handle={handle} file={file} /> : null}
      <figcaption className={css["caption"]}>
        <Icon name="file" />
        {file.path === null ? (
          <span className={css["name"]}>
            <VisibleName name={file.name} />
          </span>
        ) : (
          <Link
            className={css["name"] ?? ""}
            href={filesAddress(handle.id, { path: file.path, folder: false })}
            aria-label={`Open ${visibleText(file.name)}`}
          >
            <VisibleName name={file.name} />
          </Link>
        )}
        {file.size === null ? null : <span className={css["figure"]}>{bytes(file.size)}</span>}
        {file.path === null ? null : <Save handle={handle} path={file.path} name={file.name} />}
      </figcaption>
    </figure>
  );
}

function Picture({ handle, file }: { handle: ThreadHandle; file: ShownFile }): ReactElement {
  const path = file.path ?? "";
  const [large, setLarge] = useState(false);
  const { data, error } = useQuery({
    queryKey: ["file", handle.id, path],
    queryFn: async ({ signal }) => (await handle.files.download(path, { signal })).blob(),
    staleTime: Infinity,
  });
  const url = useObjectUrl(data);
  const size = file.width === null || file.height === null ? {} : { width: file.width, height: file.height };
  if (error !== null) return <p className={css["missing"]}>The picture could not be loaded: {wordsOf(error)}</p>;
  if (url === null) return <div className={css["blank"]} role="status" aria-label={`Loading ${file.name}`} />;
  return (
    <>
      <button
        type="button"
        className={css["enlarge"]}
        aria-label={`Enlarge ${file.name}`}
        onClick={() => setLarge(true)}
      >
        <img className={css["picture"]} src={url} alt={file.name} {...size} />
      </button>
      {large ? (
        <Dialog open onClose={() => setLarge(false)} title={file.name} wide>
          <img className={css["large"]} src={url} alt={file.name} />
        </Dialog>
      ) : null}
    </>
  );
}

function Save({ handle, path, name }: { handle: ThreadHandle; path: string; name: string }): ReactElement {
  const save = useMutation({
    mutationFn: async () => {
      saveBlob(await (await handle.files.download(path)).blob(), name);
    },
  });
  return (
    <Button small kind="quiet" disabled={save.isPending} onClick={() => save.mutate()} aria-label={`Save ${name}`}>
      {save.error === null ? (save.isPending ? "Saving…" : "Save") : "Try again"}
    </Button>
  );
}
