// The selected event, kept as its number in the address, so that a link shows it to anyone with access to the thread.

import { useSearchParams } from "wouter";

/** The number, and the function that selects another event. */
export function useChosenEvent(): [number | null, (seq: number | null) => void] {
  const [params, setParams] = useSearchParams();
  const named = Number(params.get("event") ?? "none");
  const choose = (seq: number | null): void => {
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        after.delete("event");
        after.delete("context");
        // The log stays open when its selection is cleared.
        after.set("log", "open");
        if (seq !== null) after.set("event", String(seq));
        return after;
      },
      { replace: true },
    );
  };
  return [Number.isSafeInteger(named) ? named : null, choose];
}

/** Whether the log is open, and the function that opens and closes it; also kept in the address. */
export function useLogOpen(): [boolean, (open: boolean) => void] {
  const [params, setParams] = useSearchParams();
  const turn = (open: boolean): void => {
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        after.delete("event");
        after.delete("log");
        // One panel is open at a time.
        after.delete("context");
        if (open) after.set("log", "open");
        return after;
      },
      { replace: true },
    );
  };
  return [params.has("log") || params.has("event"), turn];
}
