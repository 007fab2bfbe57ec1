// The filters of the inbox, which the address keeps.

import type { ReactElement } from "react";

import { useAgents } from "../agents/use-agents.ts";
import { asks } from "../conversation/pending-calls.tsx";
import { useAddress } from "../kit/use-address.ts";

import css from "./inbox.module.css";

type Kind = keyof typeof asks;

/** The chosen agent and kind of call; empty for all. */
export interface InboxFilter {
  agent: string;
  kind: Kind | "";
}

const kinds = Object.keys(asks) as Kind[];

/** The filter, and the function that changes it. The list of threads at the side has a filter of its own, named `agent`. */
export function useInboxFilter(): [InboxFilter, (change: Partial<InboxFilter>) => void] {
  const [params, change] = useAddress();
  const given = params.get("kind");
  const filter: InboxFilter = { agent: params.get("of") ?? "", kind: kinds.find((kind) => kind === given) ?? "" };
  const set = ({ agent, kind }: Partial<InboxFilter>): void =>
    change({
      ...(agent === undefined ? {} : { of: agent === "" ? null : agent }),
      ...(kind === undefined ? {} : { kind: kind === "" ? null : kind }),
    });
  return [filter, set];
}

interface InboxFiltersProps {
  filter: InboxFilter;
  onChange: (change: Partial<InboxFilter>) => void;
}

export function InboxFilters({ filter: { agent, kind }, onChange }: InboxFiltersProps): ReactElement {
  const { agents } = useAgents();
  return (
    <search className={css["filters"]}>
      <select
        className={css["select"]}
        aria-label="Agent of the calls"
        value={agent}
        onChange={(event) => onChange({ agent: event.target.value })}
      >
        <option value="">Calls of any agent</option>
        {agents.map(({ agent: { name, title } }) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
      <select
        className={css["select"]}
        aria-label="Kind of call"
        value={kind}
        onChange={(event) => onChange({ kind: kinds.find((one) => one === event.target.value) ?? "" })}
      >
        <option value="">Calls of any kind</option>
        {kinds.map((one) => (
          <option key={one} value={one}>
            {sentence(asks[one])}
          </option>
        ))}
      </select>
    </search>
  );
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
