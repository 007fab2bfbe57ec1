// Tools of MCP servers that require OAuth, over real HTTP: from the first run that needs a server to the run that uses it.

import { describe, expect, it } from "vitest";

import type { ThreadholdOptions } from "#worker/threadhold-options.ts";

import { scripts } from "../worker/definitions.ts";
import { onPlace } from "../worker/places.ts";
import { changedVariables } from "../worker/variables.ts";
import {
  ask,
  connect,
  prepareEachTest,
  protectedServer,
  required,
  rowsOfUser,
  send,
  statusOf,
  threadOf,
} from "./oauth-driver.ts";
import { admin, crash, follow, stubOf, value } from "./thread-driver.ts";

prepareEachTest();

const describeThread = (id: string) => value(stubOf(id).call("describe", admin));

describe("a run", () => {
  it("OAUTH1 A run continues without the tools of a server to which its user has not connected, and a later run uses them after the user has connected", async () => {
    const { tenant } = protectedServer();
    const id = await threadOf("anna");
    const first = await ask(id);
    expect(required(first.events)).toEqual([
      expect.objectContaining({ server: "everything", run_id: first.events[0]?.run_id }),
    ]);
    expect(first.events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    expect(first.request?.system).toContain('after the user has connected to "everything"');
    expect(await statusOf(id)).toEqual({ server: "everything", status: "required" });

    const { status, page } = await connect(id);
    expect({ status, page }).toEqual({
      status: 200,
      page: expect.stringContaining("You can close this window") as string,
    });
    expect(await statusOf(id)).toEqual({ server: "everything", status: "authorized" });

    const second = await ask(id);
    expect(second.result).toBe(`You are ${tenant}.`);
    expect(required(second.events)).toEqual([]);
  });

  it("OAUTH1 The log of a step and the result of a tool that a client invokes contain the code authorization_required", async () => {
    protectedServer();
    const id = await threadOf("anna");
    await ask(id);
    const { items } = await value(stubOf(id).call("listLogs", admin, { limit: 10, order: "asc" }));
    expect(JSON.stringify(items)).toContain("requires an authorization (authorization_required)");
    const result = await value(stubOf(id).call("invokeTool", admin, "everything__whoami", {}));
    expect(result).toMatchObject({
      status: "error",
      error: expect.stringContaining("authorization_required") as string,
    });
  });

  it("OAUTH1 A run of several steps emits authorization_required once, and a later run emits it again", async () => {
    protectedServer();
    const id = await threadOf("anna");
    scripts.set("two-steps", ({ step }) =>
      step < 2 ? { toolCalls: [{ name: "everything__whoami", arguments: {} }] } : { text: "done" },
    );
    const following = await follow(id, { after: "0" });
    await value(
      stubOf(id).call(
        "postMessage",
        admin,
        { content: "two-steps", role: "user", silent: false, metadata: {}, when: "queue", run: true },
        null,
      ),
    );
    await following.until(({ type }) => type === "run_end");
    expect(required(following.events)).toHaveLength(1);
    following.close();
    expect(required((await ask(id)).events)).toHaveLength(1);
  });

  it("OAUTH20 The thread and the snapshot of a later reader list the servers that require an authorization, until the user has connected", async () => {
    protectedServer();
    const id = await threadOf("anna");
    await ask(id);
    const listed = [{ server: "everything", since: expect.any(Number) as number }];
    expect(await describeThread(id)).toMatchObject({ required_authorizations: listed });
    await crash(id).catch(() => undefined);
    const late = await follow(id);
    expect(await late.until(({ type }) => type === "snapshot")).toMatchObject({
      thread: { required_authorizations: listed },
    });
    await connect(id);
    const updated = await late.until(({ type }) => type === "thread_updated");
    expect(updated).not.toHaveProperty("thread.required_authorizations");
    late.close();
    expect(await describeThread(id)).not.toHaveProperty("required_authorizations");
  });

  it("OAUTH20 A thread no longer lists a required authorization after one of its runs has used the authorization that the user gave in another thread", async () => {
    protectedServer();
    const [one, other] = [await threadOf("anna"), await threadOf("anna")];
    await ask(one);
    await connect(other);
    expect(await describeThread(one)).toHaveProperty("required_authorizations");
    await ask(one);
    expect(await describeThread(one)).not.toHaveProperty("required_authorizations");
  });

  it("OAUTH10 A run of a thread without an owner uses the authorization of the thread", async () => {
    const { tenant } = protectedServer();
    const id = await threadOf(null);
    expect(required((await ask(id)).events)).toHaveLength(1);
    await connect(id, "admin");
    expect((await ask(id)).result).toBe(`You are ${tenant}.`);
  });

  it("OAUTH18 A run with a valid token calls the object of its user once, and a run that uses a server without OAuth does not call it", async () => {
    protectedServer();
    const id = await threadOf("anna");
    await connect(id);
    const calls: string[] = [];
    onPlace(async ({ thread, name }) => {
      if (thread === id && name.startsWith("before") && name.includes("authorization")) calls.push(name);
    });
    expect((await ask(id)).result).toContain("You are");
    expect(calls).toEqual(["before read of an authorization"]);
    calls.length = 0;
    const { definition } = protectedServer();
    protectedServer({ ...definition, oauth: false });
    await ask(id);
    expect(calls).toEqual([]);
  });

  it("OAUTH9 If a server refuses a token that cannot be refreshed, the call ends with an error and the run requires an authorization", async () => {
    const { control } = protectedServer();
    await control({ noRefresh: true });
    const id = await threadOf("anna");
    await connect(id);
    await ask(id);
    await control({ revokeAll: true });
    const { events, result } = await ask(id);
    expect(result).toContain("authorization_required");
    expect(required(events)).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: "run_end", status: "completed" });
    expect(await statusOf(id)).toMatchObject({ status: "required" });
    expect(await rowsOfUser("anna")).not.toContain("authorization/everything");
  });

  it("OAUTH9 If a server also refuses a refreshed token, or requires more access, the call gets an error and the authorization is kept", async () => {
    const { control } = protectedServer();
    const id = await threadOf("anna");
    await connect(id);
    await ask(id);
    await control({ refuseTokens: true });
    expect((await ask(id)).result).toContain("authorization_required");
    await control({ refuseTokens: false, insufficient: true });
    expect((await ask(id)).result).toContain('It requires "notes:write".');
    expect(await statusOf(id)).toMatchObject({ status: "authorized" });
  });
});

describe("the page of a source", () => {
  it("OAUTH22 The state of a source shows whether the user who requests it has connected, the server's tools if so, and the variable of a missing encryption key", async () => {
    protectedServer();
    const options: ThreadholdOptions = { authenticate: () => ({ user: "anna", role: "admin" }) };
    const state = async (from = options) => (await send("/api/sources/everything", { options: from })).json();
    expect(await state()).toMatchObject({
      authorization: "required",
      error: expect.stringContaining("authorization_required") as string,
      tools: [],
    });
    await connect(await threadOf("anna"));
    expect(await state()).toMatchObject({
      authorization: "authorized",
      error: null,
      tools: [{ name: "everything__whoami" }],
    });
    const withoutUser: ThreadholdOptions = { authenticate: () => ({ user: null, role: "admin" }) };
    expect(await state(withoutUser)).toMatchObject({
      authorization: null,
      error: expect.stringContaining("you have no user id") as string,
    });
    changedVariables["ENCRYPTION_KEY"] = "";
    expect(await state()).toMatchObject({
      authorization: null,
      unset_variables: ["ENCRYPTION_KEY"],
      error: expect.stringContaining("openssl rand -base64 32") as string,
    });
  });
});
