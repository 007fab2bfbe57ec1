// The external server whose state the tools change: it counts the effects of each call. `book` detects a repetition by its
// key, as a careful service does; `pay` and `ship` take effect each time, and a request returns which effects `ship` had.

import type { IncomingMessage, ServerResponse } from "node:http";

import type { Findings } from "./findings.ts";
import { type LoopbackServer, openLoopback, textOf } from "./loopback-server.ts";
import { threadOf } from "./script.ts";
import type { Stage } from "./stage.ts";

/** One effect. */
export interface Effect {
  tool: string;
  mark: string;
  call: string;
  /** The idempotency key of its request. */
  key: string;
}

/** The open server. */
export interface EffectDesk extends LoopbackServer {
  readonly effects: readonly Effect[];
  /** Requests that repeated an effect. */
  readonly repetitions: number;
  /** Requests that asked whether an effect took place. */
  readonly reconciled: number;
  memory: () => EffectMemory;
  /** Restores the state of an earlier server. */
  recall: (memory: EffectMemory) => void;
}

/** The state that another server needs, as JSON: the effects, and the keys of their requests. Stored threads have it in this form. */
export interface EffectMemory {
  effects: Effect[];
  asked: string[];
}

/** The response to a call that took effect. */
export function receiptOf({ tool, mark, call }: Omit<Effect, "key">): string {
  return `receipt ${tool} ${mark} ${call}`;
}

/** Opens the server. */
export async function openEffectDesk(stage: Stage, findings: Findings): Promise<EffectDesk> {
  const effects: Effect[] = [];
  const requested = new Set<string>();
  let repetitions = 0;
  let reconciled = 0;

  const perform = (effect: Effect): void => {
    const same = effects.filter((one) => one.mark === effect.mark && one.call === effect.call);
    if (effect.tool === "book" && same.some(({ key }) => key === effect.key)) return;
    if (same.length > 0) findings.add("SURV4", `${effect.tool} of ${effect.mark} ${effect.call} took effect again`);
    effects.push(effect);
  };

  const act = async (effect: Effect, response: ServerResponse): Promise<void> => {
    const moment = { thread: threadOf(effect.mark), mark: effect.mark, place: effect.call };
    const pass = stage.enter();
    if (requested.has(effect.key)) repetitions += 1;
    requested.add(effect.key);
    if ((await pass({ ...moment, at: "effect_asked" })) === "cut") return void response.destroy();
    perform(effect);
    if ((await pass({ ...moment, at: "effect_done" })) === "cut") return void response.destroy();
    response.end(receiptOf(effect));
    await pass({ ...moment, at: "effect_answered" });
  };

  const tellOf = async (key: string, mark: string, response: ServerResponse): Promise<void> => {
    reconciled += 1;
    const moment = { thread: threadOf(mark), mark, place: key };
    const pass = stage.enter();
    if ((await pass({ ...moment, at: "reconcile_asked" })) === "cut") return void response.destroy();
    const known = effects.find((one) => one.key === key);
    response.writeHead(known === undefined ? 404 : 200).end(known === undefined ? "" : receiptOf(known));
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", "http://outside");
    const tool = url.pathname.slice(1);
    if (request.method === "GET") {
      await tellOf(url.searchParams.get("key") ?? "", url.searchParams.get("mark") ?? "", response);
    } else {
      await act({ tool, ...(JSON.parse(await textOf(request)) as Omit<Effect, "tool">) }, response);
    }
  };

  const server = await openLoopback(serve, (thrown) => findings.add("SURV4", `an effect broke: ${String(thrown)}`));
  return {
    ...server,
    effects,
    memory: () => ({ effects, asked: [...requested] }),
    recall(memory) {
      effects.push(...memory.effects);
      for (const key of memory.asked) requested.add(key);
    },
    get repetitions() {
      return repetitions;
    },
    get reconciled() {
      return reconciled;
    },
  };
}
