// The lifetime of the tokens for MCP servers with OAuth, over real HTTP: refresh, expiry, and crashes.

import { describe, expect, it, vi } from "vitest";

import { scripts } from "../worker/definitions.ts";
import {
  agree,
  ask,
  begin,
  connect,
  endLeaseSoon,
  endAuthorizationFlowWith,
  prepareEachTest,
  protectedServer,
  required,
  returnTo,
  rowsOfUser,
  setTokenTimes,
  statusOf,
  storeOfUser,
  threadOf,
} from "./oauth-driver.ts";

prepareEachTest();

const count = (lines: readonly string[], line: string) => lines.filter((each) => each === line).length;

describe("the refresh", () => {
  it("OAUTH8 A token that has nearly expired is refreshed before it is used, and the new refresh token is used the next time", async () => {
    const { control, tenant } = protectedServer();
    const id = await threadOf("anna");
    await connect(id);
    for (let round = 1; round <= 3; round += 1) {
      await setTokenTimes("anna", { refresh: -1, expiry: 59 });
      expect((await ask(id)).result).toBe(`You are ${tenant}.`);
    }
    const { requests, reused } = await control();
    expect({ tokens: count(requests, "POST as/token"), reused }).toEqual({ tokens: 4, reused: 0 });
  });

  it("OAUTH8 If the server refuses a token, the token is refreshed once and the request is sent again", async () => {
    const { control, tenant } = protectedServer();
    const id = await threadOf("anna");
    await connect(id);
    await ask(id);
    await control({ expireAccess: true });
    expect((await ask(id)).result).toBe(`You are ${tenant}.`);
    const { requests, reused } = await control();
    expect({ tokens: count(requests, "POST as/token"), reused }).toEqual({ tokens: 2, reused: 0 });
  });

  it("OAUTH8 Threads of a user that need a refresh at the same time send one, and all of them use its result", async () => {
    const { control, tenant } = protectedServer();
    const ids = await Promise.all(Array.from({ length: 4 }, () => threadOf("anna")));
    await connect(ids[0] ?? "");
    await control({ expireAccess: true, holdTokens: true });
    const requested = Promise.all(ids.map((id) => ask(id)));
    await vi.waitUntil(async () => (await control()).paused > 0, { timeout: 20_000 });
    await control({ holdTokens: false, release: true });
    expect((await requested).map(({ result }) => result)).toEqual(ids.map(() => `You are ${tenant}.`));
    const { requests, reused } = await control();
    expect({ tokens: count(requests, "POST as/token"), reused }).toEqual({ tokens: 2, reused: 0 });
  });

  it("OAUTH8 If a token is refused, the parallel calls of a run send one refresh", async () => {
    const { control, tenant } = protectedServer();
    const id = await threadOf("anna");
    await connect(id);
    await ask(id);
    await control({ expireAccess: true });
    const word = `parallel-${crypto.randomUUID()}`;
    const call = { name: "everything__whoami", arguments: {} };
    scripts.set(word, ({ step }) => (step === 0 ? { toolCalls: [call, call, call] } : { text: "done" }));
    const { results } = await ask(id, word);
    expect(results.slice(-3)).toEqual(Array.from({ length: 3 }, () => `You are ${tenant}.`));
    expect(count((await control()).requests, "POST as/token")).toBe(2);
  });

  it("OAUTH9 If the server refuses a refresh permanently, the tokens are deleted and the run requires an authorization", async () => {
    const { control } = protectedServer();
    const id = await threadOf("anna");
    await connect(id);
    await control({ revokeAll: true });
    expect(required((await ask(id)).events)).toHaveLength(1);
    expect(await rowsOfUser("anna")).not.toContain("authorization/everything");
    await connect(id);
    expect((await ask(id)).result).toContain("You are");
  });

  it("OAUTH9 A token that has expired without a refresh token is not sent, and the run requires an authorization", async () => {
    const { control } = protectedServer();
    await control({ noRefresh: true, expiresIn: 0 });
    const id = await threadOf("anna");
    await connect(id);
    expect(await statusOf(id)).toMatchObject({ status: "required" });
    const { requests } = await control();
    expect(required((await ask(id)).events)).toHaveLength(1);
    expect((await control()).requests).toEqual(requests);
  });

  it("OAUTH9 If a refresh fails temporarily, the tokens are kept, and the call's error names the renewal of the tokens", async () => {
    const { control } = protectedServer();
    const id = await threadOf("anna");
    await connect(id);
    await ask(id);
    await control({ expireAccess: true, tokenStatus: 503 });
    const { events, result } = await ask(id);
    expect(result).toContain("The renewal of the tokens");
    expect(required(events)).toEqual([]);
    await control({ tokenStatus: null });
    expect((await ask(id)).result).toContain("You are");
  });

  it("OAUTH9, OAUTH17 A person who disconnects during a refresh stays disconnected, and the tokens that arrive afterwards are revoked", async () => {
    const { control } = protectedServer();
    const id = await threadOf("anna");
    await connect(id);
    await control({ expireAccess: true, holdTokens: true });
    const requested = ask(id);
    await vi.waitUntil(async () => (await control()).paused > 0, { timeout: 20_000 });
    // As a disconnect does, before its requests that revoke the tokens arrive at the server.
    await storeOfUser("anna").replace("everything", null, null);
    const { secrets: old } = await control();
    await control({ holdTokens: false, release: true });
    expect(required((await requested).events)).toHaveLength(1);
    expect(await statusOf(id)).toMatchObject({ status: "required" });
    // The access token and the refresh token that arrived. The first refresh token was used by the refresh.
    const { secrets, sent, live } = await control();
    const arrived = secrets.filter((secret) => !old.includes(secret));
    const revoked = sent.flatMap(({ path, text }) =>
      path === "as/revoke" ? [new URLSearchParams(text).get("token") ?? ""] : [],
    );
    expect(arrived).toHaveLength(2);
    expect(revoked.toSorted()).toEqual(arrived.toSorted());
    expect(live.access).toEqual([]);
    expect(live.refresh).toHaveLength(1);
  });
});

describe("a crash", () => {
  it("OAUTH19 A crash between the exchange of the code and the store of the tokens stores nothing, and the person connects again", async () => {
    const { control } = protectedServer();
    const id = await threadOf("anna");
    const flow = await begin(id);
    const back = await agree(flow);
    const failing = {
      ...storeOfUser("anna"),
      complete: () => Promise.reject(new Error("The object was reset.")),
    };
    await expect(endAuthorizationFlowWith(failing, { flow, back, id })).rejects.toThrow("The object was reset.");
    expect(count((await control()).requests, "POST as/token")).toBe(1);
    expect((await control()).live).toEqual({ access: [], refresh: [] });
    expect(await statusOf(id)).toMatchObject({ status: "required" });
    expect((await returnTo(back, flow.cookie)).status).toBe(400);
    expect(await connect(id)).toMatchObject({ status: 200 });
    expect((await ask(id)).result).toContain("You are");
  });

  it("OAUTH19 The lease of a refresh expires if its thread crashed, and then another thread refreshes the token", async () => {
    const { control } = protectedServer();
    const id = await threadOf("anna");
    await connect(id);
    await control({ expireAccess: true });
    const store = storeOfUser("anna");
    const row = await store.read("everything");
    expect(await store.lease("everything", row?.revision ?? "", "a crashed thread")).toBe("granted");
    await endLeaseSoon("anna", "everything");
    expect((await ask(id)).result).toContain("You are");
  });
});
