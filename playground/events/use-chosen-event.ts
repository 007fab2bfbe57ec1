// Which event is chosen, by its number in the address: a link to it shows it to whoever has the thread.

import { useSearchParams } from "wouter";

/** The number, and what chooses another. */
export function useChosenEvent(): [number | null, (seq: number | null) => void] {
  const [params, setParams] = useSearchParams();
  const named = Number(params.get("event") ?? "none");
  const choose = (seq: number | null): void => {
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        after.delete("event");
        // The log stays open when nothing is chosen in it any more.
        after.set("log", "open");
        if (seq !== null) after.set("event", String(seq));
        return after;
      },
      { replace: true },
    );
  };
  return [Number.isSafeInteger(named) ? named : null, choose];
}

/** Whether the log is open, and what opens and closes it: kept in the address as well. */
export function useLogOpen(): [boolean, (open: boolean) => void] {
  const [params, setParams] = useSearchParams();
  const turn = (open: boolean): void => {
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        after.delete("event");
        after.delete("log");
        if (open) after.set("log", "open");
        return after;
      },
      { replace: true },
    );
  };
  return [params.has("log") || params.has("event"), turn];
}
