// Refuses the name of an agent that does not exist, and lists those that do.

import type { ThreadholdError } from "#contract/error.ts";
import { refuse } from "#contract/error.ts";
import { closestWord } from "#lib/edit-distance.ts";
import type { Registry } from "#spec/registry.ts";

/** Throws `invalid_request` about `agent_id` if no agent has the name. */
export function checkAgent(registry: Registry, name: string): void {
  if (!Object.hasOwn(registry.agents, name)) throw unknownAgent(name, Object.keys(registry.agents));
}

function unknownAgent(name: string, known: string[]): ThreadholdError {
  const meant = closestWord(name, known);
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  const message = `There is no agent "${name}".${hint}`;
  return refuse("invalid_request", message, { fields: [{ path: "agent_id", message }], known });
}
