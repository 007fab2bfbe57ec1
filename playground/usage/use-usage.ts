// The reports of the page: of the chosen days, and of as many days before them.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useThreadholdClient } from "threadhold/react";

import { amountOf, sumOf } from "./amount.ts";
import type { Amount } from "./amount.ts";
import { daysBefore } from "./days.ts";
import { entriesOf, nameOf, seriesOf } from "./series.ts";
import type { Entry, Series } from "./series.ts";
import type { Dimension, UsageChoice } from "./usage-choice.ts";

/** What is known of the chosen days. */
export interface KnownUsage {
  /** As asked; they lag behind the choice while another is asked for. */
  from: string;
  to: string;
  by: Dimension;
  entries: readonly Entry[];
  /** Who used most, of everybody: marks do not change when one is shown alone. */
  series: readonly Series[];
  total: Amount;
  /** Of the days before. */
  before: Amount;
}

/** The reports. What was shown stays while others are asked for. */
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
    // Without a network it fails, and says so, instead of waiting without a word; it is asked again when the network is back.
    networkMode: "always",
    refetchOnReconnect: true,
  });
  const known = useMemo(() => (data === undefined ? null : knownOf(data, only)), [data, only]);
  return { usage: known, stale: isPlaceholderData, error, retry: () => void refetch() };
}

type Reported = Awaited<ReturnType<ReturnType<typeof useThreadholdClient>["usage"]>>;

interface Told {
  from: string;
  to: string;
  by: Dimension;
  report: Reported;
  past: Reported;
}

function knownOf({ from, to, by, report, past }: Told, only: string | null): KnownUsage {
  const all = entriesOf(report, by);
  const series = seriesOf(all).filter(({ name }) => only === null || name === only);
  if (only === null) {
    return { from, to, by, entries: all, series, total: amountOf(report.total), before: amountOf(past.total) };
  }
  const entries = all.filter(({ name }) => name === only);
  const before = past.usage.filter((line) => nameOf(line, by) === only).map(amountOf);
  return { from, to, by, entries, series, total: sumOf(entries), before: sumOf(before) };
}
