// The search field and the filters of the thread list.

import { useEffect, useRef, useState } from "react";
import type { ReactElement } from "react";

import { useAccess } from "../access/access.tsx";
import { useCaller } from "../access/use-caller.ts";
import { useAgents } from "../agents/use-agents.ts";
import { Button } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { statusWords } from "../kit/status.tsx";
import type { ListFilter } from "./thread-filter.ts";

import css from "./thread-list-panel.module.css";

const statuses = ["running", "awaiting_tool_execution", "error", "idle"] as const;

/** Milliseconds after the last key before the list is loaded. */
const settleMs = 180;

interface ListFiltersProps {
  filter: ListFilter;
  /** Users whose threads are listed, as options. */
  users: readonly string[];
  onChange: (change: Partial<ListFilter>) => void;
}

export function ListFilters({ filter, users, onChange }: ListFiltersProps): ReactElement {
  const { agents } = useAgents();
  const { signedIn } = useAccess();
  const caller = useCaller();
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
          placeholder="Search titles and last messages"
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
      {signedIn && caller?.admin === true ? (
        <UserField user={filter.user} users={users} onChange={(user) => onChange({ user })} />
      ) : null}
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

interface UserFieldProps {
  user: string;
  users: readonly string[];
  onChange: (user: string) => void;
}

/** The field in which an administrator enters the user whose threads are listed. Enter or leaving the field applies it. */
function UserField({ user, users, onChange }: UserFieldProps): ReactElement {
  const [typed, setTyped] = useState(user);
  useEffect(() => setTyped(user), [user]);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onChange(typed);
      }}
    >
      <input
        className={`${css["select"] ?? ""} ${css["user"] ?? ""}`}
        type="search"
        aria-label="User"
        placeholder="Any user"
        list="thread-users"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          // A user chosen from the list, or the button that clears the field, applies at once.
          if (event.target.value === "" || users.includes(event.target.value)) onChange(event.target.value);
        }}
        onBlur={() => onChange(typed)}
      />
      <datalist id="thread-users">
        {users.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </form>
  );
}
