// Which carrier a try is made with. A socket that fails before it opens says nothing about why in a browser, so the try after it
// is made over SSE, whose answer says it; where sockets go on failing they are left alone.

import type { Carrier } from "./connection.ts";

/** Sockets that failed to open, one after the other, before no more are tried. */
const mostFailures = 3;

/** What is known. */
export interface CarrierFacts {
  /** The platform has sockets, or was given some. */
  sockets: boolean;
  /** Sockets that failed to open since one did. */
  failures: number;
  /** What the try before this one was made with; null on the first. */
  last: Carrier | null;
}

/** The carrier of the next try. */
export function chooseCarrier({ sockets, failures, last }: CarrierFacts): Carrier {
  if (!sockets || failures >= mostFailures) return "sse";
  return failures > 0 && last === "socket" ? "sse" : "socket";
}
