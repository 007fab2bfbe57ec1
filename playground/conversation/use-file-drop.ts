// Gives files that are dropped on the page to the composer, except on elements that take files themselves. Otherwise
// the browser would leave the page and open them.

import { useEffect, useRef, useState } from "react";

/** Returns whether files are being dragged over the page. */
export function useFileDrop(onFiles: (files: Iterable<File>, dropped: DataTransfer) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(() => {
    const leave = new AbortController();
    const { signal } = leave;
    const brings = (event: DragEvent): boolean =>
      event.dataTransfer?.types.includes("Files") === true && !isTaken(event.target);
    addEventListener(
      "dragover",
      (event) => {
        if (!brings(event)) return setOver(false);
        event.preventDefault();
        setOver(true);
      },
      { signal },
    );
    addEventListener(
      "dragleave",
      (event) => {
        if (event.relatedTarget === null) setOver(false);
      },
      { signal },
    );
    addEventListener(
      "drop",
      (event) => {
        if (!brings(event)) return;
        event.preventDefault();
        setOver(false);
        if (event.dataTransfer !== null) latest.current(event.dataTransfer.files, event.dataTransfer);
      },
      { signal },
    );
    return () => leave.abort();
  }, []);
  return over;
}

function isTaken(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("[data-takes-files]") !== null;
}
