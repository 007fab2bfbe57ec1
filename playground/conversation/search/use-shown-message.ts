// Scrolls the list to the message to show, and loads older messages until it is there.

import { useEffect, useRef } from "react";
import type { RefObject } from "react";

import type { MessageRow } from "../rows.ts";

export interface ShownIn {
  /** Id of the message; null for none. */
  message: string | null;
  rows: readonly (MessageRow | { kind: "note" | "unsent" | "waiting" })[];
  hasMore: boolean;
  loading: boolean;
  failed: boolean;
  more: (long: boolean) => void;
  scrollTo: (index: number) => void;
  /** Set once the list has its initial scroll position. */
  arrived: RefObject<boolean>;
}

/** Returns whether older messages are being loaded to find the message. */
export function useShownMessage(list: ShownIn): boolean {
  const { message, rows, hasMore, loading, failed, more, scrollTo, arrived } = list;
  const done = useRef<string | null>(null);
  if (message === null) done.current = null;
  const wanted = message !== null && done.current !== message;
  const index = wanted ? rows.findIndex((row) => row.kind === "message" && holds(row, message)) : -1;
  useEffect(() => {
    if (!wanted || loading) return;
    if (index === -1) {
      if (hasMore && !failed) more(true);
      return;
    }
    done.current = message;
    arrived.current = true;
    scrollTo(index);
  }, [wanted, index, loading, hasMore, failed, more, scrollTo, message, arrived]);
  return wanted && index === -1 && hasMore && !failed;
}

/** Whether a row contains a message: its own, the result of one of its calls, or one under its calls. */
function holds(row: MessageRow, id: string): boolean {
  if (row.message.id === id || Object.values(row.results).some((result) => result.id === id)) return true;
  return Object.values(row.lines).some((rows) => rows.some((below) => holds(below, id)));
}
