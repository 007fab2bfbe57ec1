// A run's figures in one line.

import type { ReactElement } from "react";

import { duration } from "../kit/duration.ts";
import { count, money } from "../kit/figures.ts";
import type { TraceSummary } from "./trace-summary.ts";

import css from "./trace.module.css";

export function SummaryLine({ summary }: { summary: TraceSummary }): ReactElement {
  const { total_ms, model_ms, tool_ms, agent_ms, waiting_ms, usage, cost, cache_share } = summary;
  const figures: [string, string][] = [
    ["Total", duration(total_ms)],
    ["Model", duration(model_ms)],
    ["Tools", duration(tool_ms)],
    ...(agent_ms === 0 ? [] : [["Agents", duration(agent_ms)] satisfies [string, string]]),
    ["Waiting", duration(waiting_ms)],
    ["Input tokens", count(usage.input + usage.cache_read + usage.cache_write)],
    ["Output tokens", count(usage.output)],
    ["From cache", cache_share === null ? "–" : `${Math.round(cache_share * 100)} %`],
    ["Cost", money(cost)],
  ];
  return (
    <dl className={css["summary"]} aria-label="Summary">
      {figures.map(([name, value]) => (
        <div key={name} className={css["figure"]}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
