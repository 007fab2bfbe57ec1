// The key that encrypts the tokens for MCP servers with OAuth, and the places where no secret may be.

import { describe, expect, it, vi } from "vitest";

import { changedVariables } from "../worker/variables.ts";
import {
  agree,
  ask,
  begin,
  connect,
  prepareEachTest,
  protectedServer,
  refusal,
  required,
  returnTo,
  rowsOfUser,
  send,
  statusOf,
  storeOfUser,
  threadOf,
} from "./oauth-driver.ts";
import { admin, crash, stubOf, value } from "./thread-driver.ts";

prepareEachTest();

const newKey = (): string => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))));

describe("the key", () => {
  it.each([
    ["is missing", undefined, "is not set"],
    ["is a passphrase", "open sesame", "has no valid value"],
  ])(
    "OAUTH13 A definition with OAuth is not ready while the key %s: the step, the log and the routes name the variable and the command",
    async (_, key, reason) => {
      protectedServer();
      changedVariables["ENCRYPTION_KEY"] = key;
      const id = await threadOf("anna");
      const { events } = await ask(id);
      expect(required(events)).toEqual([]);
      const { items } = await value(stubOf(id).call("listLogs", admin, { limit: 10, order: "asc" }));
      for (const text of [JSON.stringify(items), (await refusal(id)).message]) {
        expect(text).toContain(`the variable ENCRYPTION_KEY ${reason}`);
        expect(text).toContain("openssl rand -base64 32");
      }
    },
  );

  it("OAUTH13 Tokens that an old key encrypted are used while the list of keys contains it, and an authorization is required again afterwards", async () => {
    protectedServer();
    const [old, current] = [newKey(), newKey()];
    changedVariables["ENCRYPTION_KEY"] = old;
    const id = await threadOf("anna");
    await connect(id);
    changedVariables["ENCRYPTION_KEY"] = `${current},${old}`;
    await crash(id);
    expect((await ask(id)).result).toContain("You are");
    changedVariables["ENCRYPTION_KEY"] = current;
    await crash(id);
    expect(required((await ask(id)).events)).toHaveLength(1);
    expect(await statusOf(id)).toMatchObject({ status: "required" });
  });

  it("OAUTH13 A token refresh encrypts with the first key of ENCRYPTION_KEY", async () => {
    const { control } = protectedServer();
    const [old, current] = [newKey(), newKey()];
    changedVariables["ENCRYPTION_KEY"] = old;
    const id = await threadOf("anna");
    await connect(id);
    changedVariables["ENCRYPTION_KEY"] = `${current},${old}`;
    await crash(id);
    await control({ expireAccess: true });
    expect((await ask(id)).result).toContain("You are");
    changedVariables["ENCRYPTION_KEY"] = current;
    await crash(id);
    expect((await ask(id)).result).toContain("You are");
  });
});

describe("secrets", () => {
  it("OAUTH11 No code, token, secret or verifier is in events, messages, logs, exports, pages, lines of the log, or rows", async () => {
    const lines: string[] = [];
    const record = (line: unknown) => void lines.push(String(line));
    const spies = (["log", "info", "warn", "error"] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation(record),
    );
    const { control } = protectedServer();
    await control({ confidential: true });
    const id = await threadOf("anna");
    const first = await ask(id);
    const flow = await begin(id);
    const back = await agree(flow);
    const page = await returnTo(back, flow.cookie);
    const second = await ask(id);
    await control({ expireAccess: true });
    const third = await ask(id);
    await control({ expireAccess: true, tokenStatus: 400 });
    const fourth = await ask(id);
    await control({ tokenStatus: null, revokeAll: true });
    const fifth = await ask(id);
    const { items: logs } = await value(stubOf(id).call("listLogs", admin, { limit: 100, order: "asc" }));
    const exported = await (await send(`/api/threads/${id}/export`)).text();
    for (const spy of spies) spy.mockRestore();
    const { secrets } = await control();
    const state = flow.url.searchParams.get("state") ?? "";
    const cookie = flow.cookie.split("=")[1] ?? "";
    expect(secrets.length).toBeGreaterThanOrEqual(6);
    expect(exported).toContain(id);
    const everything = JSON.stringify([first, second, third, fourth, fifth, logs, exported, page.page, lines]);
    for (const secret of [...secrets, state, cookie]) expect(everything).not.toContain(secret);
    expect(exported).not.toContain("authorization/");
    await connect(id);
    const rows = await rowsOfUser("anna");
    expect(rows).toContain("authorization/everything");
    for (const secret of (await control()).secrets) expect(rows).not.toContain(secret);
  });

  it("OAUTH12 The stored tokens of one user cannot be read for another user, nor for another server of the same user", async () => {
    protectedServer();
    const { definition } = protectedServer({}, "other");
    const id = await threadOf("anna");
    await connect(id);
    const row = await storeOfUser("anna").read("everything");
    const stranger = crypto.randomUUID();
    await storeOfUser(stranger).replace("everything", null, row);
    await storeOfUser("anna").replace("other", null, row);
    expect(required((await ask(await threadOf(stranger))).events)).toHaveLength(1);
    expect(definition.oauth).toBe(true);
    const status = await (await send(`/api/threads/${id}/mcp/other/authorization`)).json();
    expect(status).toEqual({ server: "other", status: "required" });
  });
});
