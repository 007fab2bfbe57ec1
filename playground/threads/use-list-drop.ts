// Takes an exported thread that is dropped onto the list. Files that are dropped elsewhere go to the composer.

import { useState } from "react";
import type { DragEvent } from "react";

/** The list's event handlers. `data-takes-files` keeps the rest of the page from taking the files. */
export interface ListDrop {
  over: boolean;
  handlers: {
    "data-takes-files": true;
    onDragOver: (event: DragEvent) => void;
    onDragLeave: (event: DragEvent) => void;
    onDrop: (event: DragEvent) => void;
  };
}

/** Returns the handlers. */
export function useListDrop(onFile: (file: File) => void): ListDrop {
  const [over, setOver] = useState(false);
  const brings = (event: DragEvent): boolean => event.dataTransfer.types.includes("Files");
  return {
    over,
    handlers: {
      "data-takes-files": true,
      onDragOver(event) {
        if (!brings(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave(event) {
        const { currentTarget, relatedTarget } = event;
        if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) setOver(false);
      },
      onDrop(event) {
        if (!brings(event)) return;
        event.preventDefault();
        setOver(false);
        const [file] = event.dataTransfer.files;
        if (file !== undefined) onFile(file);
      },
    },
  };
}
