// An idle thread on a real server: it hibernates although clients follow it, and their heartbeats do not wake it. The test waits
// half a minute for heartbeats.

import { afterAll, beforeAll, expect, it } from "vitest";

import { ApiClient } from "../support/http-client/api-client.ts";
import { settledMessages } from "../support/http-client/transcript.ts";
import { speaker, startCrowdServer } from "./crowd/crowd-server.ts";
import type { CrowdServer } from "./crowd/crowd-server.ts";
import { startDeltaModel } from "./crowd/delta-model.ts";
import type { DeltaModel } from "./crowd/delta-model.ts";

let model: DeltaModel;
let server: CrowdServer;
let api: ApiClient;

beforeAll(async () => {
  model = await startDeltaModel();
  server = await startCrowdServer(model.url);
  api = new ApiClient(server.url);
});
afterAll(async () => {
  await server?.stop();
  model?.close();
});

it("FOLLOW3 An idle thread hibernates although clients follow it by WebSocket and SSE, is not woken by them, and sends them later events", async () => {
  const { id } = await api.createThread(speaker);
  const feeds = [await api.socket(id), await api.events(id)];
  await api.say(id, "deltas 5");
  for (const feed of feeds) await feed.until("run_end");
  // The server prints a line for each object. A line may arrive after the response to the request that created the object.
  await expect.poll(server.made).toBe(1);
  // The bridge sends heartbeats to its reader. Their number shows how long the thread was idle, and that the bridge woke no object.
  await quiet(id);
  expect(server.made()).toBe(1);
  await api.say(id, "deltas 6");
  // The thread hibernated, so the message created one more object, which has the sockets of the first one.
  await expect.poll(server.made).toBe(2);
  for (const feed of feeds) await feed.untilCount("run_end", 2);
  const messages = await api.messages(id);
  for (const feed of feeds) {
    expect(settledMessages(feed.view().messages)).toEqual(messages);
    feed.close();
  }
});

/** Resolves after two heartbeats of another follower, which takes half a minute. */
async function quiet(id: string): Promise<void> {
  const leave = new AbortController();
  const response = await fetch(`${server.url}/api/threads/${id}/events`, { signal: leave.signal });
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    // The first heartbeat is sent at the start, then one every fifteen seconds.
    if (text.split(": heartbeat").length > 3) break;
  }
  leave.abort();
}
