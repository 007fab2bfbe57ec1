// Audio and video files. They are loaded when the user wants to play them, because the whole file is needed before
// playback starts.

import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { ReactElement } from "react";
import type { FileRecord, ThreadHandle } from "threadhold/client";

import { Button } from "../../kit/button.tsx";
import { bytes } from "../../kit/figures.ts";
import { ErrorNote } from "../../kit/note.tsx";
import { useObjectUrl } from "../../kit/use-object-url.ts";
import { visibleText } from "../../kit/visible-text.ts";
import { readBlob } from "../read-blob.ts";
import { BytesNote } from "./bytes-note.tsx";

import css from "./preview.module.css";

/** The largest file that the page loads into memory for playback. */
const mostBytes = 128 * 1024 * 1024;

interface MediaPreviewProps {
  handle: ThreadHandle;
  file: FileRecord;
  kind: "audio" | "video";
}

/** The player, or the button that loads it. */
export function MediaPreview({ handle, file, kind }: MediaPreviewProps): ReactElement {
  const [loaded, setLoaded] = useState(0);
  const leave = useRef<AbortController>(null);
  useEffect(() => () => leave.current?.abort(), []);
  const load = useMutation({
    // Otherwise a request that waits for the network would outlast the page.
    networkMode: "always",
    mutationFn: () => {
      leave.current = new AbortController();
      return readBlob(handle, file.path, { signal: leave.current.signal, onLoaded: setLoaded });
    },
  });
  const url = useObjectUrl(load.data);
  if (file.size > mostBytes) return <BytesNote file={file} why="It is too large to be played here." />;
  const name = visibleText(file.name);
  if (url !== null) {
    return (
      <div className={css["picturePlace"]}>
        {kind === "audio" ? (
          <audio className={css["player"]} controls src={url} aria-label={name} />
        ) : (
          <video className={css["picture"]} controls src={url} aria-label={name} />
        )}
      </div>
    );
  }
  return (
    <div className={css["note"]}>
      <p className={css["why"]}>{kind === "audio" ? "A sound" : "A film"}, which is loaded before it plays.</p>
      {load.error === null ? null : (
        <ErrorNote title="It could not be loaded" error={load.error} onRetry={() => load.mutate()} />
      )}
      <p>
        <Button disabled={load.isPending} onClick={() => load.mutate()}>
          {load.isPending
            ? `Loading, ${Math.floor((100 * loaded) / Math.max(file.size, 1))} %`
            : `Load it (${bytes(file.size)})`}
        </Button>
      </p>
    </div>
  );
}
