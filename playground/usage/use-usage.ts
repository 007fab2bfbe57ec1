// Loads the usage reports of the chosen days, and of the same number of days before them.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useThreadholdClient } from "threadhold/react";

import { amountOf, sumOf } from "./amount.ts";
import type { Amount } from "./amount.ts";
import { daysBefore } from "./days.ts";
import { entriesOf, nameOf, seriesOf } from "./series.ts";
import type { Entry, Series } from "./series.ts";
import type { Dimension, UsageChoice } from "./usage-choice.ts";

/** The data of the chosen days. */
export interface KnownUsage {
  /** The days of the data; while another report is loaded they may differ from the chosen ones. */
  from: string;
  to: string;
  by: Dimension;
  entries: readonly Entry[];
  /** All agents or models by usage, also when one is shown alone, so that the marks stay the same. */
  series: readonly Series[];
  total: Amount;
  /** The total of the days before. */
  before: Amount;
}

/** The reports. The earlier data stays while others are loaded. */
export function useUsage({ from, to, by, only }: Pick<UsageChoice, "from" | "to" | "by" | "only">): {
  usage: KnownUsage | null;
  stale: boolean;
  error: Error | null;
  retry: () => void;
} {
  const client = useThreadholdClient();
  const { data, error, isPlaceholderData, refetch } = useQuery({
    queryKey: ["usage", from, to, by],
    queryFn: async ({ signal }) => {
      const [report, past] = await Promise.all([
        client.usage({ from, to, by: ["day", by] }, { signal }),
        client.usage({ ...daysBefore(from, to), by: [by] }, { signal }),
      ]);
      return { from, to, by, report, past };
    },
    placeholderData: keepPreviousData,
    // Without a network the request fails with an error instead of waiting; it is repeated when the network is back.
    networkMode: "always",
    refetchOnReconnect: true,
  });
  const known = useMemo(() => (data === undefined ? null : knownOf(data, only)), [data, only]);
  return { usage: known, stale: isPlaceholderData, error, retry: () => void refetch() };
}

type Reported = Awaited<ReturnType<ReturnType<typeof useThreadholdClient>["usage"]>>;

interface UsageReports {
  from: string;
  to: string;
  by: Dimension;
  report: Reported;
  past: Reported;
}

function knownOf({ from, to, by, report, past }: UsageReports, only: string | null): KnownUsage {
  const all = entriesOf(report, by);
  const series = seriesOf(all).filter(({ name }) => only === null || name === only);
  if (only === null) {
    return { from, to, by, entries: all, series, total: amountOf(report.total), before: amountOf(past.total) };
  }
  const entries = all.filter(({ name }) => name === only);
  const before = past.usage.filter((line) => nameOf(line, by) === only).map(amountOf);
  return { from, to, by, entries, series, total: sumOf(entries), before: sumOf(before) };
}
