// Search and filters over the list.

import { useEffect, useRef, useState } from "react";
import type { ReactElement } from "react";

import { useAgents } from "../agents/use-agents.ts";
import { Button } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { statusWords } from "../kit/status.tsx";
import type { ListFilter } from "./thread-filter.ts";

import css from "./thread-list.module.css";

const statuses = ["running", "awaiting_tool_execution", "error", "idle"] as const;

/** Milliseconds after the last key before the list is asked for. */
const settleMs = 180;

interface ListFiltersProps {
  filter: ListFilter;
  onChange: (change: Partial<ListFilter>) => void;
}

/** The fields. */
export function ListFilters({ filter, onChange }: ListFiltersProps): ReactElement {
  const { agents } = useAgents();
  const [typed, setTyped] = useState(filter.q);
  const change = useRef(onChange);
  change.current = onChange;
  useEffect(() => setTyped(filter.q), [filter.q]);
  useEffect(() => {
    if (typed === filter.q) return undefined;
    const timer = setTimeout(() => change.current({ q: typed }), settleMs);
    return () => clearTimeout(timer);
  }, [typed, filter.q]);
  return (
    <search className={css["filters"]}>
      <div className={css["search"]}>
        <Icon name="search" />
        <input
          id="thread-search"
          type="search"
          className={css["input"]}
          placeholder="Search titles and last words"
          aria-label="Search threads"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
      <div className={css["choices"]}>
        <select
          className={css["select"]}
          aria-label="Status"
          value={filter.status}
          onChange={(event) => onChange({ status: statuses.find((one) => one === event.target.value) ?? "" })}
        >
          <option value="">Any status</option>
          {statuses.map((status) => (
            <option key={status} value={status}>
              {statusWords(status)}
            </option>
          ))}
        </select>
        <select
          className={css["select"]}
          aria-label="Agent"
          value={filter.agent}
          onChange={(event) => onChange({ agent: event.target.value })}
        >
          <option value="">Any agent</option>
          {agents.map(({ agent: { name, title } }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </div>
      {filter.tag === "" ? null : (
        <div className={css["chosen"]}>
          <span>Tagged “{filter.tag}”</span>
          <Button small kind="quiet" onClick={() => onChange({ tag: "" })}>
            Clear
          </Button>
        </div>
      )}
    </search>
  );
}
