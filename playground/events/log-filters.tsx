// The filters of the log: by type and by run, with those that occur in it as options.

import { useMemo } from "react";
import type { ReactElement } from "react";

import { clock } from "../kit/figures.ts";
import type { TapeEntry } from "./event-tape.ts";

import css from "./event-log.module.css";

/** The selected type (`""` for all types), or all but deltas; and the selected run, or all runs. */
export interface LogFilter {
  type: string;
  run: string;
}

export const everything: LogFilter = { type: "", run: "" };
const noDeltas = "-delta";

/** The entries that match the filter. */
export function filteredEntries(entries: readonly TapeEntry[], { type, run }: LogFilter): readonly TapeEntry[] {
  if (type === "" && run === "") return entries;
  return entries.filter(
    ({ event }) =>
      (run === "" || event.run_id === run) &&
      (type === "" || (type === noDeltas ? !event.type.endsWith("_delta") : event.type === type)),
  );
}

interface LogFiltersProps {
  entries: readonly TapeEntry[];
  filter: LogFilter;
  onChange: (filter: LogFilter) => void;
}

/** The two filters. */
export function LogFilters({ entries, filter, onChange }: LogFiltersProps): ReactElement {
  const { types, runs } = useMemo(() => kindsOf(entries), [entries]);
  return (
    <div className={css["filters"]}>
      <select
        aria-label="Type of events"
        className={css["select"]}
        value={filter.type}
        onChange={({ target }) => onChange({ ...filter, type: target.value })}
      >
        <option value="">All types</option>
        <option value={noDeltas}>All but deltas</option>
        {types.map(([type, count]) => (
          <option key={type} value={type}>
            {type} ({count})
          </option>
        ))}
      </select>
      <select
        aria-label="Run of events"
        className={css["select"]}
        value={filter.run}
        onChange={({ target }) => onChange({ ...filter, run: target.value })}
      >
        <option value="">All runs</option>
        {runs.map(([run, at], number) => (
          <option key={run} value={run}>
            Run {number + 1}, {clock(at)}
          </option>
        ))}
      </select>
    </div>
  );
}

function kindsOf(entries: readonly TapeEntry[]): { types: [string, number][]; runs: [string, number][] } {
  const types = new Map<string, number>();
  const runs = new Map<string, number>();
  for (const { event } of entries) {
    types.set(event.type, (types.get(event.type) ?? 0) + 1);
    if (event.run_id !== undefined && !runs.has(event.run_id)) runs.set(event.run_id, event.at);
  }
  return { types: [...types].toSorted(([one], [other]) => one.localeCompare(other)), runs: [...runs] };
}
