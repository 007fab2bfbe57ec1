// The client that is there in some lives: it comes back to every thread, looks whether what it was answered is there, sends
// again what it never heard of, and says more.

import { admittedMessageSchema } from "#contract/message-route.ts";

import type { ApiClient } from "../../support/http-client/api-client.ts";
import type { Actor, Turn } from "./actor.ts";
import type { Script } from "./script.ts";
import { soakAgent } from "./soak-agents.ts";
import type { Soak } from "./soak.ts";

/** Comes back to every thread; makes those that are not there yet. */
export async function comeBack(soak: Soak, api: ApiClient): Promise<void> {
  await Promise.all(
    soak.actors.map(async (actor) => {
      if (actor.id === "") actor.id = (await api.createThread(soakAgent)).id;
      await actor.follower.attach(api, actor.id);
    }),
  );
  await Promise.all(soak.actors.map((actor) => checkInputs(soak, api, actor)));
  for (const actor of soak.actors) if (actor.unsure !== undefined) await post(api, actor, actor.unsure);
}

/** Says something new. */
export async function say(api: ApiClient, actor: Actor, script: Script): Promise<Turn> {
  const turn = actor.say(script);
  await post(api, actor, turn);
  return turn;
}

/** Posts a message under its key, which may be known already. */
export async function post(api: ApiClient, actor: Actor, turn: Turn): Promise<void> {
  const options = { json: { content: turn.content }, headers: { "idempotency-key": turn.key } };
  const { run } = await api.ask(admittedMessageSchema, "POST", `/api/threads/${actor.id}/messages`, options);
  turn.runId = run?.id ?? null;
}

/** Everything that was answered 202 is in the thread or waits in its queue, once and in its order. */
async function checkInputs({ findings }: Soak, api: ApiClient, actor: Actor): Promise<void> {
  const runs = await api.runs(actor.id);
  for (const { id, status } of runs) actor.learn(id, status);
  // Asked for after the runs: what waited then may be there by now.
  const messages = await api.messages(actor.id);
  const waiting = new Set(runs.filter(({ status }) => status === "queued").map(({ id }) => id));
  const admitted = actor.turns.filter(({ runId }) => runId !== null);
  for (const { mark, runId } of admitted) {
    if (runs.filter(({ id }) => id === runId).length !== 1) findings.add("SURV2", `the run of ${mark} is not there`);
  }
  const there = messages.filter(({ role }) => role === "user").map(({ content }) => content);
  const due = admitted.filter(({ runId }) => !waiting.has(runId ?? "")).length;
  // What was never answered may be there as well, as the last one.
  const said = actor.turns.map(({ content }) => content);
  if (there.length < due || there.join("|") !== said.slice(0, there.length).join("|")) {
    findings.add(
      "SURV2",
      `${actor.name} holds [${there.join("|")}] of [${said.join("|")}], and ${String(due)} are due`,
    );
  }
}
