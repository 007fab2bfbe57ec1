// Tests a model: one request to the deployment for each trial, so that each result is shown as soon as it exists. The requests end when a person
// stops the test or leaves the page.

import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { RouteAnswer } from "threadhold/client";
import { useThreadholdClient } from "threadhold/react";

/** The result of one trial. */
export type Trial = RouteAnswer<"POST /api/models/:name/test">["trials"][number];

/** The trials in their order. */
const trialKinds = ["text", "tool", "picture"] as const;

/** The test of a model. */
export interface ModelTest {
  trials: readonly Trial[];
  /** The trial that runs; null before the test and after it. */
  running: Trial["kind"] | null;
  /** Whether the last test ended without an error. */
  isOver: boolean;
  /** Whether a person ended it. */
  isStopped: boolean;
  /** The refusal of the deployment, or the failure of the connection. */
  error: Error | null;
  start: () => void;
  stop: () => void;
}

/** The test of this model. It starts only with `start`. */
export function useModelTest(name: string): ModelTest {
  const client = useThreadholdClient();
  const control = useRef<AbortController | null>(null);
  const [trials, setTrials] = useState<readonly Trial[]>([]);
  const [running, setRunning] = useState<Trial["kind"] | null>(null);
  const test = useMutation({
    networkMode: "always",
    mutationFn: async (): Promise<"stopped" | "complete"> => {
      control.current = new AbortController();
      const { signal } = control.current;
      setTrials([]);
      const made: Trial[] = [];
      for (const kind of trialKinds) {
        setRunning(kind);
        const asked = client.request("POST /api/models/:name/test", {
          params: { name },
          body: { kinds: [kind] },
          signal,
          // Each request costs money, and the server ends a trial after a minute.
          retries: 0,
          timeoutMs: null,
        });
        const answer = await asked.catch((error: unknown) => {
          if (signal.aborted) return null;
          throw error;
        });
        if (answer === null) return "stopped";
        made.push(...answer.trials);
        setTrials([...made]);
        if (kind === "text" && answer.trials.some(({ ok }) => !ok)) break;
      }
      return "complete";
    },
    onSettled: () => setRunning(null),
  });
  useEffect(() => () => control.current?.abort(), [name]);
  return {
    trials,
    running,
    isOver: test.isSuccess,
    isStopped: test.data === "stopped",
    error: test.error,
    start: () => test.mutate(),
    stop: () => control.current?.abort(),
  };
}
