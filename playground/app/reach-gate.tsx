// Checks whether the server can be reached, and shows an outage once for the whole page, with the time until the next check. After
// an outage, subscriptions connect at once and failed parts are read again.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { ReactElement, ReactNode } from "react";
import { useThreadholdClient } from "threadhold/react";

import { Button } from "../kit/button.tsx";
import { ReachContext } from "../kit/outage.ts";
import { useSecond } from "../kit/use-second.ts";

import css from "./shell.module.css";

/** Milliseconds between two checks, and the timeout of one check. */
const everyMs = 5000;
const longestMs = 10_000;

/** Milliseconds in which failed parts are read again at most once without an outage, so that a part that always fails does not loop. */
const recoverMs = 10_000;

/** The last check of the server. Its response has the findings of the last build. Only the gate repeats the check. */
export function useHealth({ repeated = false } = {}) {
  const client = useThreadholdClient();
  return useQuery({
    queryKey: ["health"],
    queryFn: ({ signal }) => client.request("GET /healthz", { signal, retries: 0, timeoutMs: longestMs }),
    refetchInterval: repeated ? everyMs : false,
    // The check runs also if the browser reports no network, because that report may be wrong.
    networkMode: "always",
  });
}

/** Provides the reachability of the server to its children. */
export function ReachGate({ children }: { children: ReactNode }): ReactElement {
  const client = useThreadholdClient();
  const queries = useQueryClient();
  const { error, dataUpdatedAt, errorUpdatedAt, refetch } = useHealth({ repeated: true });
  const [recoveries, setRecoveries] = useState(0);
  const wasLost = useRef(false);
  const asked = useRef(false);
  const recoveredAt = useRef(0);
  const lost = error !== null;
  const checkedAt = Math.max(dataUpdatedAt, errorUpdatedAt);
  const check = useCallback(() => {
    asked.current = true;
    void refetch({ cancelRefetch: false });
  }, [refetch]);
  useEffect(() => {
    if (lost) {
      wasLost.current = true;
      return;
    }
    const isDue = wasLost.current || (asked.current && Date.now() - recoveredAt.current > recoverMs);
    asked.current = false;
    if (!isDue) return;
    wasLost.current = false;
    recoveredAt.current = Date.now();
    client.reconnect();
    void queries.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" });
    setRecoveries((count) => count + 1);
  }, [lost, checkedAt, client, queries]);
  const reach = useMemo(() => ({ lost, checkedAt, recoveries, check }), [lost, checkedAt, recoveries, check]);
  return <ReachContext value={reach}>{children}</ReachContext>;
}

/** The note about an outage. Renders nothing while the server answers. */
export function OutageNote(): ReactElement | null {
  const { error } = useHealth();
  return error === null ? null : <Outage />;
}

function Outage(): ReactElement {
  const { errorUpdatedAt, isFetching, refetch } = useHealth();
  const now = useSecond();
  const seconds = Math.min(everyMs / 1000, Math.max(1, Math.ceil((errorUpdatedAt + everyMs - now) / 1000)));
  return (
    <div className={css["outage"]}>
      <p role="status">
        {navigator.onLine ? "The server cannot be reached." : "Offline."} What you see stays, and is brought up to date
        once
        {navigator.onLine ? " it" : " the network"} is back.
      </p>
      {/* Hidden from screen readers, because it changes every second. */}
      <span className={css["countdown"]} aria-hidden="true">
        {isFetching ? "Trying…" : `Next try in ${seconds} s`}
      </span>
      <Button small disabled={isFetching} onClick={() => void refetch()}>
        Try now
      </Button>
    </div>
  );
}
