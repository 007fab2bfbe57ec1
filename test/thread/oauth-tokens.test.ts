// When the tokens of a run are refreshed, how often, and what happens if a refresh has to wait, over real HTTP.

import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import type { Clock } from "#core/ports/clock.ts";
import { feedName } from "#core/rpc/feed-rpc.ts";
import { createRequestQueue } from "#lib/bounded-fetch.ts";
import type { RequestQueue } from "#lib/bounded-fetch.ts";
import { systemClock } from "#lib/system-clock.ts";
import type { McpServerDefinition } from "#spec/index.ts";
import { sealKeys } from "#tools/mcp/oauth/oauth-options.ts";
import { ServerTokens } from "#tools/mcp/oauth/server-tokens.ts";
import { readTokens } from "#tools/mcp/oauth/token-record.ts";
import { outboundFetch } from "#worker/outbound.ts";

import { crossing } from "../worker/crossing.ts";
import { scripts } from "../worker/definitions.ts";
import {
  ask,
  connect,
  endLeaseSoon,
  prepareEachTest,
  protectedServer,
  setTokenTimes,
  storeOfUser,
  threadOf,
} from "./oauth-driver.ts";
import { admin, stubOf, value } from "./thread-driver.ts";

prepareEachTest();

type Definition = Omit<McpServerDefinition, "name">;

/** The tokens of a run of the user Anna in another instance, whose requests take turns in `inTurn`. */
async function tokensOf({ url, allowedHosts = [] }: Definition, inTurn: RequestQueue, clock: Clock = systemClock) {
  const variables = { ...(env as unknown as Record<string, unknown>) };
  const transport = { fetch: (...call: Parameters<typeof fetch>) => fetch(...call), clock: systemClock, inTurn };
  return new ServerTokens({
    name: "everything",
    key: "everything",
    url: new URL(String(url)),
    oauth: {},
    allowedHosts,
    keys: await sealKeys("everything", variables),
    authorizations: { owner: { user: "anna" }, store: storeOfUser("anna") },
    context: { fetch: outboundFetch({}, transport), clock, env: variables, log: () => undefined, signal: undefined },
  });
}

/** Whether a run has the lease of a refresh. */
function isLeased(): Promise<boolean> {
  return runInDurableObject(env.FEEDS.get(env.FEEDS.idFromName(feedName("anna"))), (_, state) =>
    [...state.storage.kv.list<{ lease?: unknown }>({ prefix: "authorization/" })].some(([, { lease }]) => lease),
  );
}

/**
 * Begins the refresh of a run, which has the lease and waits for another request. `other` are the tokens of another run, and `release` ends the
 * other request.
 */
async function waitingRefresh(definition: Definition, clock: Clock) {
  const queue = createRequestQueue(1);
  const release = crossing<Response>();
  const slow = queue(null, () => release.promise);
  const waiting = await tokensOf(definition, queue, clock);
  const other = await tokensOf(definition, createRequestQueue(5));
  const token = await waiting.token();
  const outcome = waiting.after(token).catch(String);
  await vi.waitUntil(isLeased);
  return { token, outcome, other, release, slow };
}

describe("a refresh that waits", () => {
  it("OAUTH8 A refresh is not sent if it has to wait longer than 20 seconds for other requests, and another run can then refresh the token", async () => {
    const { control, definition } = protectedServer();
    await connect(await threadOf("anna"));
    await control({ expireAccess: true });
    const limits: { ms: number; pass: () => void }[] = [];
    const clock: Clock = {
      ...systemClock,
      after(ms, pass) {
        limits.push({ ms, pass });
        return () => undefined;
      },
    };
    const { token, outcome, other, release, slow } = await waitingRefresh(definition, clock);
    expect(limits).toEqual([{ ms: expect.any(Number) as number, pass: expect.any(Function) as () => void }]);
    // The lease lasts 30 seconds.
    expect(limits[0]?.ms).toBeLessThanOrEqual(20_000);
    limits[0]?.pass();
    expect(await outcome).toContain("took longer than 20 seconds");
    const next = await other.after(token);
    release.resolve(new Response(""));
    await slow;
    expect(next.token).not.toBe(token.token);
    const { reused, live } = await control();
    expect({ reused, access: live.access }).toEqual({ reused: 0, access: [next.token] });
  });

  it("OAUTH8 A refresh that fails after its lease has ended does not change the tokens that another run's refresh has stored", async () => {
    const { control, definition } = protectedServer();
    await connect(await threadOf("anna"));
    await control({ expireAccess: true });
    let pass = (): void => undefined;
    const clock: Clock = { ...systemClock, after: (_, callback) => ((pass = callback), () => undefined) };
    const { token, outcome, other, release, slow } = await waitingRefresh(definition, clock);
    await endLeaseSoon("anna", "everything");
    const next = await other.after(token);
    pass();
    expect(await outcome).toContain("took longer than 20 seconds");
    release.resolve(new Response(""));
    await slow;
    expect((await control()).reused).toBe(0);
    expect(await (await tokensOf(definition, createRequestQueue(5))).token()).toEqual(next);
  });
});

/** A script whose model calls the tool in `steps` steps, `parallel` times in each. */
function calls(steps: number, parallel = 1): string {
  const word = `calls-${crypto.randomUUID()}`;
  const call = { name: "everything__whoami", arguments: {} };
  const toolCalls = Array.from({ length: parallel }, () => call);
  scripts.set(word, ({ step }) => (step < steps ? { toolCalls } : { text: "done" }));
  return word;
}

const refreshes = (sent: readonly { path: string; text: string }[]) =>
  sent.filter(({ path, text }) => path === "as/token" && text.includes("grant_type=refresh_token")).length;

describe("a server that refuses new tokens", () => {
  it.each([
    ["one after another", 5, 1],
    ["at the same time", 1, 8],
  ])(
    "OAUTH1 If a server refuses a run's calls %s, also with a new token, the run emits authorization_required once and refreshes once",
    async (_, steps, parallel) => {
      const { control } = protectedServer();
      const id = await threadOf("anna");
      await connect(id);
      await ask(id);
      await control({ refuseTokens: true });
      const { events, results } = await ask(id, calls(steps, parallel));
      expect(events.filter(({ type }) => type === "authorization_required")).toHaveLength(1);
      const { required_authorizations } = await value(stubOf(id).call("describe", admin));
      expect(required_authorizations).toMatchObject([{ server: "everything" }]);
      expect(refreshes((await control()).sent)).toBe(1);
      const answers = results.slice(1).map(String);
      expect(answers).toHaveLength(steps * parallel);
      // The steps after the refusal do not offer the tool.
      const named = answers.filter((answer) => answer.includes("authorization_required")).length;
      const missing = answers.filter((answer) => answer.includes("There is no tool named")).length;
      expect({ named, missing }).toEqual({ named: parallel, missing: (steps - 1) * parallel });
    },
  );

  it("OAUTH1 If a person connects again during a run, the run uses the new token", async () => {
    const { control, definition } = protectedServer();
    await connect(await threadOf("anna"));
    await control({ expireAccess: true });
    const tokens = await tokensOf(definition, createRequestQueue(5));
    const refused = await tokens.after(await tokens.token());
    expect(tokens.refused(refused).message).toContain("requires an authorization");
    await expect(tokens.token()).rejects.toThrow("requires an authorization");
    await connect(await threadOf("anna"));
    expect((await control()).live.access).toContain((await tokens.token()).token);
  });
});

describe("a token with a short lifetime", () => {
  it.each([
    ["of 60 seconds", { expiresIn: 60 }],
    ["of 0 seconds that is valid for longer", { lie: { expires_in: 0 } }],
  ])("OAUTH8 A token with a lifetime %s is not refreshed by the calls of a run", async (_, change) => {
    const { control } = protectedServer();
    await control(change);
    const id = await threadOf("anna");
    await connect(id);
    await ask(id);
    const { results } = await ask(id, calls(10));
    expect(results.filter((each) => String(each).startsWith("You are"))).toHaveLength(11);
    expect(refreshes((await control()).sent)).toBe(0);
  });

  it("OAUTH8 A run refreshes a token that has nearly expired once for all of its calls, also if the new lifetime is as short", async () => {
    const { control } = protectedServer();
    await control({ expiresIn: 60 });
    const id = await threadOf("anna");
    await connect(id);
    await setTokenTimes("anna", { refresh: -1, expiry: 20 });
    await ask(id, calls(10));
    expect(refreshes((await control()).sent)).toBe(1);
  });

  it.each([
    [3600, 3540],
    [100, 50],
    [60, 30],
    [10, 30],
    [0, 30],
  ])("OAUTH8 A token with a lifetime of %i seconds is refreshed after %i seconds", (expires_in, refresh) => {
    const tokens = readTokens("notes", { access_token: "a", token_type: "Bearer", expires_in }, 7_000_000);
    expect(tokens).toMatchObject({
      refresh_at: 7_000_000 + refresh * 1_000_000,
      expires_at: 7_000_000 + expires_in * 1_000_000,
    });
  });
});
