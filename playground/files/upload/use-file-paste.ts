// Files that are pasted anywhere on the page. Text is left to the fields that it is pasted into.

import { useEffect, useRef } from "react";

/** Gives them to `onFiles`. */
export function useFilePaste(onFiles: (files: Iterable<File>) => void): void {
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(() => {
    const paste = (event: ClipboardEvent): void => {
      const files = event.clipboardData?.files;
      if (files === undefined || files.length === 0) return;
      event.preventDefault();
      latest.current([...files]);
    };
    addEventListener("paste", paste);
    return () => removeEventListener("paste", paste);
  }, []);
}
