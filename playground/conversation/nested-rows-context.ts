// The component that draws messages under a call. A call is part of a message, and the messages under it have calls
// again. The list provides the component through this context, so that the two files do not import each other.

import { createContext } from "react";
import type { ReactElement } from "react";
import type { ThreadHandle } from "threadhold/client";

import type { MessageRow } from "./rows.ts";

/** Messages under a call. */
export interface NestedRowsProps {
  handle: ThreadHandle;
  rows: readonly MessageRow[];
  /** A description for screen readers. */
  label: string;
}

export const NestedRowsContext = createContext<(props: NestedRowsProps) => ReactElement | null>(() => null);
