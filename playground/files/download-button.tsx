// Downloads a file. Files need the visitor's token, which no address may contain, so the page loads the bytes first.

import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { ReactElement } from "react";
import type { FileRecord, ThreadHandle } from "threadhold/client";

import { Button } from "../kit/button.tsx";
import { saveBlob } from "../kit/save-blob.ts";
import { visibleText } from "../kit/visible-text.ts";
import { readBlob } from "./read-blob.ts";

/** The button. A click during the download stops it. */
export function DownloadButton({ handle, file }: { handle: ThreadHandle; file: FileRecord }): ReactElement {
  const [loaded, setLoaded] = useState(0);
  const leave = useRef<AbortController>(null);
  const save = useMutation({
    // Otherwise a download without a network could not be stopped.
    networkMode: "always",
    mutationFn: async () => {
      leave.current = new AbortController();
      setLoaded(0);
      const { signal } = leave.current;
      saveBlob(await readBlob(handle, file.path, { signal, onLoaded: setLoaded }), file.name);
    },
  });
  const name = visibleText(file.name);
  if (save.isPending) {
    const part = Math.floor((100 * loaded) / Math.max(file.size, 1));
    return (
      <Button small onClick={() => leave.current?.abort()} aria-label={`Stop downloading ${name}, ${part} percent`}>
        Stop · {part} %
      </Button>
    );
  }
  const failed = save.error !== null && leave.current?.signal.aborted !== true;
  return (
    <Button small icon="down" onClick={() => save.mutate()} aria-label={`Download ${name}`} title={save.error?.message}>
      {failed ? "Failed, try again" : "Download"}
    </Button>
  );
}
