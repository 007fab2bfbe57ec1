// Runs a scenario by a surface against the model server, and reads which requests the server received.

import type { WireRequest } from "../standard-agents/wire.ts";
import { requestsOf } from "./normal-form.ts";
import type { Held, Outcome, ServedModel } from "./normal-form.ts";
import type { Scenario } from "./scenario.ts";

/** The outcome of a scenario. `server` is the address of the model server. */
export async function outcomeOf(
  run: (scenario: Scenario, served: ServedModel) => Promise<Held>,
  scenario: Scenario,
  server: string,
): Promise<Outcome> {
  const { abort, answers: model } = scenario;
  const mark = crypto.randomUUID();
  const hold = typeof abort === "object" ? { "x-server-hold": String(abort.bytes) } : {};
  const paused = await run(scenario, { model, baseUrl: `${server}/v1`, headers: { "x-server-id": mark, ...hold } });
  const response = await fetch(`${server}/__requests?id=${mark}`);
  return { ...paused, ...requestsOf((await response.json()) as WireRequest[]) };
}
