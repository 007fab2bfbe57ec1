// The stores of authorizations: in memory, in the object of a user, and in a thread without an owner.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { remoteAuthorizations } from "#core/rpc/authorization-call.ts";
import { AuthorizationRows } from "#core/rpc/authorization-rows.ts";
import { feedName } from "#core/rpc/feed-rpc.ts";
import type { FeedStub } from "#core/rpc/feed-rpc.ts";

import { authorizationContract } from "../core/authorization-contract.ts";
import { memoryKeys } from "../support/memory-store/memory-keys.ts";
import { admin, newThread, stubOf, value } from "./thread-driver.ts";

const second = 1_000_000;

describe("in memory", () => {
  authorizationContract("A store in memory", () => {
    let time = 1_000_000 * second;
    const rows = new AuthorizationRows(memoryKeys(), () => time);
    const store = remoteAuthorizations(async (call) => rows.call(call));
    return { store, now: () => time, pass: (micros) => (time += micros) };
  });
});

describe("in the storage of an object", () => {
  authorizationContract("A store in the storage of an object", async () => {
    const stub = env.FEEDS.get(env.FEEDS.newUniqueId());
    let time = 1_000_000 * second;
    const store = remoteAuthorizations((call) =>
      runInDurableObject(stub, (_, state) => new AuthorizationRows(state.storage.kv, () => time).call(call)),
    );
    return { store, now: () => time, pass: (micros) => (time += micros) };
  });
});

it("OAUTH14 The object of a user stores authorizations of that user alone", async () => {
  const storeOf = (user: string) => {
    const stub = env.FEEDS.get(env.FEEDS.idFromName(feedName(user))) as unknown as FeedStub;
    return remoteAuthorizations((call) => stub.authorization(call));
  };
  const [one, other] = [storeOf(crypto.randomUUID()), storeOf(crypto.randomUUID())];
  await one.replace("docs", null, { revision: "r", text: "t" });
  expect(await one.read("docs")).toEqual({ revision: "r", text: "t" });
  expect(await other.read("docs")).toBeNull();
});

it("OAUTH10 A thread without an owner stores its authorizations, and loses them when it is deleted; a thread with an owner refuses them", async () => {
  const id = await newThread("mcp");
  const store = remoteAuthorizations((call) => value(stubOf(id).call("authorization", admin, call)));
  await store.replace("docs", null, { revision: "r", text: "t" });
  expect(await store.read("docs")).toEqual({ revision: "r", text: "t" });
  await value(stubOf(id).call("remove", admin));
  await expect(store.read("docs")).rejects.toThrow("thread_not_found");
  const keys = await runInDurableObject(env.THREADS.get(env.THREADS.idFromName(id)), (_, state) => [
    ...state.storage.kv.list(),
  ]);
  expect(keys).toEqual([]);
  const owned = await newThread("mcp", { user_id: "anna" });
  const refused = await stubOf(owned).call("authorization", admin, ["read", "docs"]);
  expect(refused).toMatchObject({ ok: false, refusal: { code: "conflict" } });
});
