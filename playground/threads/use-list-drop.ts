// An exported thread dropped onto the list. What is dropped elsewhere is the composer's.

import { useState } from "react";
import type { DragEvent } from "react";

/** What the list listens to. `data-takes-files` keeps the rest of the page from taking them. */
export interface ListDrop {
  over: boolean;
  handlers: {
    "data-takes-files": true;
    onDragOver: (event: DragEvent) => void;
    onDragLeave: (event: DragEvent) => void;
    onDrop: (event: DragEvent) => void;
  };
}

/** Listens. */
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
