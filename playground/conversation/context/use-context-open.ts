// Whether the panel of the context is open, kept in the address.

import { useAddress } from "../../kit/use-address.ts";

/** Whether it is open, and the function that opens and closes it. The log of events is closed, because one panel is open at a time. */
export function useContextOpen(): [boolean, (open: boolean) => void] {
  const [params, change] = useAddress<{ context: string | null; log: null; event: null }>();
  const isLogOpen = params.has("log") || params.has("event");
  return [
    params.has("context") && !isLogOpen,
    (open) => change({ context: open ? "open" : null, log: null, event: null }),
  ];
}
