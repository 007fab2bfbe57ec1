// The filter of the thread list, kept in the address, so that it can be shared and survives a reload.

import { useCallback } from "react";
import type { ThreadFilter, ThreadStatus } from "threadhold/client";
import { useSearch, useSearchParams } from "wouter";

const statuses: readonly ThreadStatus[] = ["idle", "running", "awaiting_tool_execution", "error"];

/** The parts of a filter that a person chooses. */
export interface ListFilter {
  q: string;
  status: ThreadStatus | "";
  agent: string;
  tag: string;
  /** The user whose threads are listed; an administrator may list those of all users. */
  user: string;
}

/**
 * The filter, and the function that changes it. Typing replaces the history entry, so that going back leaves the list.
 */
export function useListFilter(): [ListFilter, (change: Partial<ListFilter>) => void] {
  const [params, setParams] = useSearchParams();
  const given = params.get("status") ?? "";
  const filter: ListFilter = {
    q: params.get("q") ?? "",
    status: statuses.find((status) => status === given) ?? "",
    agent: params.get("agent") ?? "",
    tag: params.get("tag") ?? "",
    user: params.get("user") ?? "",
  };
  const change = useCallback(
    (next: Partial<ListFilter>): void => {
      setParams(
        (before) => {
          const after = new URLSearchParams(before);
          for (const [name, value] of Object.entries(next)) {
            if (value === "") after.delete(name);
            else after.set(name, value);
          }
          return after;
        },
        { replace: true },
      );
    },
    [setParams],
  );
  return [filter, change];
}

/** The part of an address's query that filters the list, without the parameters of the page next to it. */
export function listSearch(search: string): string {
  const all = new URLSearchParams(search);
  const kept = new URLSearchParams();
  for (const name of ["q", "status", "agent", "tag", "user"]) {
    const value = all.get(name);
    if (value !== null) kept.set(name, value);
  }
  return kept.toString();
}

/** That part of the current address. */
export function useListSearch(): string {
  return listSearch(useSearch());
}

/** The filter as the API takes it. Child threads are left out; they can be found through their parent. */
export function queryOf({ q, status, agent, tag, user }: ListFilter, limit: number): ThreadFilter {
  return {
    limit,
    ...(q.trim() === "" ? {} : { q: q.trim() }),
    ...(status === "" ? {} : { status }),
    ...(agent === "" ? {} : { agent_id: agent }),
    ...(tag.trim() === "" ? {} : { tag: tag.trim() }),
    ...(user.trim() === "" ? {} : { user_id: user.trim() }),
  };
}

/** Whether any filter is set. */
export function isFiltered({ q, status, agent, tag, user }: ListFilter): boolean {
  return q !== "" || status !== "" || agent !== "" || tag !== "" || user !== "";
}
