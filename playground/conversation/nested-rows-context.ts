// How what is said under a call is drawn. A call is part of a message and what is said under it are messages again: the list hands
// down what draws them, so that neither file needs the other.

import { createContext } from "react";
import type { ReactElement } from "react";
import type { ThreadHandle } from "threadhold/client";

import type { MessageRow } from "./rows.ts";

/** Messages beneath a call. */
export interface NestedRowsProps {
  handle: ThreadHandle;
  rows: readonly MessageRow[];
  /** What they are, for those who do not see where they stand. */
  label: string;
}

/** Draws them. */
export const NestedRowsContext = createContext<(props: NestedRowsProps) => ReactElement | null>(() => null);
