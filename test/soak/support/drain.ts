// The last life of the server: no more kills, every run ends, and everything that the API shows is checked.

import type { Run } from "#contract/run.ts";
import type { Message } from "#contract/thread-message.ts";

import { ApiClient } from "../../support/http-client/api-client.ts";
import { settledMessages } from "../../support/http-client/transcript.ts";
import type { Actor } from "./actor.ts";
import { comeBack, say } from "./company.ts";
import { readOutput } from "./life.ts";
import { startSoakServer } from "./soak-server.ts";
import { type Soak, servedBy } from "./soak.ts";
import { talk } from "./stop-points.ts";
import { judgeTranscript } from "./verdict.ts";

/** A thread at its end. */
export interface DrainedThread {
  messages: Message[];
  runs: Run[];
}

/** Waits until all threads are idle and checks them; `look` may read more while the server runs. */
export async function drain(
  soak: Soak,
  look: (api: ApiClient) => Promise<void> = () => Promise.resolve(),
): Promise<Map<string, DrainedThread>> {
  const { findings, stage, observer } = soak;
  findings.life += 1;
  stage.begin(new Map());
  observer.begin("client");
  const server = await startSoakServer(servedBy(soak));
  observer.ready();
  const drained = new Map<string, DrainedThread>();
  try {
    const api = new ApiClient(server.url);
    await comeBack(soak, api);
    // A thread whose run was given up or stopped accepts messages like any other.
    for (const actor of soak.actors) if (actor.role !== "regular") await say(api, actor, talk(8));
    for (const actor of soak.actors) drained.set(actor.name, await restOf(soak, api, actor));
    await look(api);
    readOutput(soak, server);
  } finally {
    await server.kill();
    stage.end();
  }
  return drained;
}

async function restOf(soak: Soak, api: ApiClient, actor: Actor): Promise<DrainedThread> {
  const { findings } = soak;
  const { follower } = actor;
  // Reconnects once more, so that the follower's view always consists of an interruption and a resumption.
  follower.feed?.close();
  await follower.detach();
  await follower.attach(api, actor.id, true);
  const how = await follower.detach();
  if (how !== "end") findings.add("SURV3", `${actor.name} came to no rest: ${how}`);
  actor.learnFromFollower();
  const messages = await api.messages(actor.id);
  follower.compare(messages);
  judgeTranscript(soak, actor, messages);

  const replay = await api.events(actor.id, "after=0&until=idle");
  if ((await replay.untilEnd()) !== "end") findings.add("SURV6", `the replay of ${actor.name} has no end`);
  if (JSON.stringify(settledMessages(replay.view().messages)) !== JSON.stringify(messages)) {
    findings.add("SURV6", `the replay of ${actor.name} differs from its transcript`);
  }
  follower.compareNumbers(replay);
  return { messages, runs: await api.runs(actor.id) };
}
