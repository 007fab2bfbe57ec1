// The connection of a turn: that of the thread's object for a turn inside of a call of a thread's tool (`{ in: state }`), else that of the
// process.

import { toolHostOf, withoutHost } from "#core/ports/tool-host.ts";
import type { HostConnection, ToolHost } from "#core/ports/tool-host.ts";
import { environment } from "#host/process-environment.ts";
import { ThreadExecution } from "#host/thread-execution.ts";

import { cancelled } from "./failure-error.ts";
import type { TurnRequest } from "./turn-request.ts";
import { refusal } from "./upp-error.ts";

/** The connection of a turn: that of the thread in whose tool it runs, else that of the process. */
export function connectionOf(request: Pick<TurnRequest, "in" | "model">): HostConnection {
  const host = hostOfTurn(request);
  return host ?? { env: environment(), fetch: (input, init) => globalThis.fetch(input, init) };
}

/** Begins the execution of a turn. Throws CANCELLED if the call of the tool has ended. */
export function beginExecution(request: TurnRequest): ThreadExecution {
  const { model, input, name = model.modelId } = request;
  const host = hostOfTurn(request);
  const execution = new ThreadExecution(host, { type: name, prompt: input.map(({ text }) => text).join("\n\n") });
  if (host !== null && !execution.isInThread) throw cancelled(model.provider.name, execution.signal?.reason);
  return execution;
}

/** The host in the state of a tool's call; null for a turn without a thread. Throws INVALID_REQUEST for any other value. */
function hostOfTurn({ in: state, model }: Pick<TurnRequest, "in" | "model">): ToolHost | null {
  if (state === undefined) return null;
  const host = toolHostOf(state);
  if (host === undefined) throw refusal(withoutHost, model.provider.name);
  return host;
}
