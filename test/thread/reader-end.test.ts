// Readers and watchers whose token has expired: nothing more is sent to them, and their sockets are closed.

import { expect, it } from "vitest";

import { feedName, ownerField, watchEndField } from "#core/rpc/feed-rpc.ts";
import { callerHeader, endField, subscribePath } from "#core/rpc/thread-rpc.ts";

import { feedOf, newOwner } from "./feed-watcher.ts";
import { admin, converse, newThread, stubOf } from "./thread-driver.ts";

interface Attached {
  frames: { type: string }[];
  closed: Promise<number>;
}

function attached({ webSocket: socket }: Response): Attached {
  if (socket === null) throw new Error("no socket");
  const frames: { type: string }[] = [];
  socket.addEventListener("message", ({ data }) => frames.push(JSON.parse(String(data)) as { type: string }));
  const closed = new Promise<number>((resolve) => {
    socket.addEventListener("close", ({ code }) => {
      resolve(code);
      socket.close();
    });
  });
  socket.accept();
  return { frames, closed };
}

const headers = { upgrade: "websocket", [callerHeader]: JSON.stringify(admin) };

async function reader(id: string, query: Record<string, string>): Promise<Attached> {
  const url = `https://thread${subscribePath}?${new URLSearchParams(query).toString()}`;
  return attached(await stubOf(id).fetch(new Request(url, { headers })));
}

it("AUTH15 A reader whose token has expired is closed with 4440 before anything more is sent", async () => {
  const id = await newThread("parallel");
  await converse(id, "say before");
  const late = await reader(id, { [endField]: "1" });
  const caughtUp = await reader(id, { [endField]: "1", after: "0" });
  const lasting = await reader(id, {
    [endField]: String(Date.now() * 1000 + 3_600_000_000),
    until: "idle",
    after: "0",
  });
  expect(await caughtUp.closed).toBe(4440);
  expect(caughtUp.frames).toEqual([]);
  await converse(id, "say after");
  expect(await late.closed).toBe(4440);
  expect(late.frames).toEqual([]);
  expect(await lasting.closed).toBe(1000);
  expect(lasting.frames.at(-1)).toEqual({ type: "end" });
});

it("AUTH15 A watcher whose token has expired is closed with 4440 before anything more is sent", async () => {
  const owner = newOwner();
  const watch = async (endsAt: number): Promise<Attached> => {
    const query = new URLSearchParams({ [ownerField]: JSON.stringify(owner), [watchEndField]: String(endsAt) });
    return attached(await feedOf(owner).fetch(new Request(`https://feed/watch?${query.toString()}`, { headers })));
  };
  expect(feedName(owner)).toContain(owner);
  const ended = await watch(1);
  const lasting = await watch(Date.now() * 1000 + 3_600_000_000);
  await newThread("parallel", { user_id: owner });
  expect(await ended.closed).toBe(4440);
  expect(ended.frames.map(({ type }) => type)).toEqual(["feed_start"]);
  expect(lasting.frames.map(({ type }) => type)).toContain("feed_start");
});
