// The time since a moment, which stays current. It is a component of its own, so that nothing around it is drawn again.

import type { ReactElement } from "react";

import { iso } from "./figures.ts";
import { useAgo } from "./now.ts";

/** The time since a moment of the API, such as `12 s`. */
export function Ago({ at, className }: { at: number; className: string | undefined }): ReactElement {
  return (
    <time className={className} dateTime={iso(at)}>
      {useAgo(at)}
    </time>
  );
}
