// The client that is present in some lives of the server: it reconnects to every thread, checks that each accepted
// message is there, repeats posts that got no response, and posts new messages.

import { admittedMessageSchema } from "#contract/message-route.ts";

import type { ApiClient } from "../../support/http-client/api-client.ts";
import type { Actor, Turn } from "./actor.ts";
import type { Script } from "./script.ts";
import { soakAgent } from "./soak-agents.ts";
import type { Soak } from "./soak.ts";

/** Reconnects to every thread, and creates those that do not exist yet. */
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

/** Posts a new message. */
export async function say(api: ApiClient, actor: Actor, script: Script): Promise<Turn> {
  const turn = actor.say(script);
  await post(api, actor, turn);
  return turn;
}

/** Posts a message under its idempotency key; the server may know it already. */
export async function post(api: ApiClient, actor: Actor, turn: Turn): Promise<void> {
  const options = { json: { content: turn.content }, headers: { "idempotency-key": turn.key } };
  const { run } = await api.ask(admittedMessageSchema, "POST", `/api/threads/${actor.id}/messages`, options);
  turn.runId = run?.id ?? null;
}

/** Checks that each message that was answered with 202 is once in the thread or in its queue, in order. */
async function checkInputs({ findings }: Soak, api: ApiClient, actor: Actor): Promise<void> {
  const runs = await api.runs(actor.id);
  for (const { id, status } of runs) actor.learn(id, status);
  // Read after the queue: an input that was queued then may be a message by now.
  const messages = await api.messages(actor.id);
  const waiting = new Set(runs.filter(({ status }) => status === "queued").map(({ id }) => id));
  const admitted = actor.turns.filter(({ runId }) => runId !== null);
  for (const { mark, runId } of admitted) {
    if (runs.filter(({ id }) => id === runId).length !== 1) findings.add("SURV2", `the run of ${mark} is not there`);
  }
  const there = messages.filter(({ role }) => role === "user").map(({ content }) => content);
  const due = admitted.filter(({ runId }) => !waiting.has(runId ?? "")).length;
  // A message without a response may be there too, as the last one.
  const said = actor.turns.map(({ content }) => content);
  if (there.length < due || there.join("|") !== said.slice(0, there.length).join("|")) {
    findings.add(
      "SURV2",
      `${actor.name} holds [${there.join("|")}] of [${said.join("|")}], and ${String(due)} are due`,
    );
  }
}
