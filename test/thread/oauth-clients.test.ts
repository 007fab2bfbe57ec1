// Clients of authorization servers that a definition names, and what a change of the definition means for authorization flows and tokens, over real HTTP.

import { describe, expect, it, vi } from "vitest";

import { changedVariables } from "../worker/variables.ts";
import {
  agree,
  ask,
  begin,
  connect,
  disconnect,
  prepareEachTest,
  protectedServer,
  required,
  returnTo,
  rowsOfUser,
  send,
  statusOf,
  threadOf,
  useDefinition,
} from "./oauth-driver.ts";

prepareEachTest();

const elsewhere = "https://login.example";

describe("a definition that names another issuer than before", () => {
  const secret = "secret-of-the-definition";

  it("OAUTH16 If a definition names a new issuer, a disconnect does not send the client's secret to the former issuer", async () => {
    const { control, definition } = protectedServer();
    await control({ presetClient: { client_id: "preset" } });
    useDefinition({ ...definition, oauth: { clientId: "preset" } });
    const id = await threadOf("anna");
    expect((await connect(id)).status).toBe(200);
    useDefinition({ ...definition, oauth: { clientId: "preset", clientSecret: secret, issuer: elsewhere } });
    expect(await disconnect(id)).toBe(204);
    const { sent } = await control();
    expect(sent.filter(({ path }) => path === "as/token")).toHaveLength(1);
    expect(JSON.stringify(sent)).not.toContain(secret);
    expect(await rowsOfUser("anna")).not.toContain("authorization/everything");
  });

  it("OAUTH16 If a definition names a new issuer, an authorization flow that began before does not send the client's secret to the former issuer", async () => {
    const { control, definition } = protectedServer();
    await control({ presetClient: { client_id: "preset" } });
    useDefinition({ ...definition, oauth: { clientId: "preset" } });
    const id = await threadOf("anna");
    const flow = await begin(id);
    const back = await agree(flow);
    useDefinition({ ...definition, oauth: { clientId: "preset", clientSecret: secret, issuer: elsewhere } });
    expect(await returnTo(back, flow.cookie)).toMatchObject({
      status: 400,
      page: expect.stringContaining("has changed. Connect again.") as string,
    });
    const { sent, requests } = await control();
    expect(JSON.stringify(sent)).not.toContain(secret);
    expect(requests).not.toContain("POST as/token");
  });

  it("OAUTH16 An authorization flow of a registered client ends without tokens if the definition names another issuer meanwhile", async () => {
    const { control, definition } = protectedServer();
    const id = await threadOf("anna");
    const flow = await begin(id);
    const back = await agree(flow);
    useDefinition({ ...definition, oauth: { issuer: elsewhere } });
    expect((await returnTo(back, flow.cookie)).status).toBe(400);
    expect((await control()).requests).not.toContain("POST as/token");
  });

  it("OAUTH16 Tokens of another issuer than that of the definition are not used, and a person revokes them by disconnecting", async () => {
    const { control, definition } = protectedServer();
    const id = await threadOf("anna");
    await connect(id);
    useDefinition({ ...definition, oauth: { issuer: elsewhere } });
    const { requests } = await control();
    expect(required((await ask(id)).events)).toHaveLength(1);
    expect((await control()).requests).toEqual(requests);
    expect(await disconnect(id)).toBe(204);
    expect((await control()).live).toEqual({ access: [], refresh: [] });
  });

  it("OAUTH22 If a definition names a new issuer, the route of the thread states that an authorization is required", async () => {
    const { definition } = protectedServer();
    const id = await threadOf("anna");
    await connect(id);
    useDefinition({ ...definition, oauth: { issuer: elsewhere } });
    expect(await statusOf(id)).toEqual({ server: "everything", status: "required" });
  });
});

describe("a client of the definition that the server refuses", () => {
  it.each([
    [
      "has a wrong secret",
      (right: object) => ({ ...right, clientSecret: "wrong" }),
      "(invalid_client). Check `oauth.clientId`",
    ],
    ["is not in the definition any more", () => ({}), "the definition names no client any more"],
  ])(
    "OAUTH9 Tokens are kept if their client %s, and are used after the definition is corrected",
    async (_, wrong, reason) => {
      const { control, definition, issuer } = protectedServer();
      await control({ presetClient: { client_id: "preset", client_secret: "right" } });
      const right = { clientId: "preset", clientSecret: "right", issuer };
      useDefinition({ ...definition, oauth: right });
      const id = await threadOf("anna");
      await connect(id);
      await ask(id);
      await control({ expireAccess: true });
      useDefinition({ ...definition, oauth: { issuer, ...wrong(right) } });
      const { events, result, request } = await ask(id);
      expect(required(events)).toEqual([]);
      expect(JSON.stringify([result, request])).toContain(reason);
      expect(await rowsOfUser("anna")).toContain("authorization/everything");
      useDefinition({ ...definition, oauth: right });
      expect((await ask(id)).result).toContain("You are");
    },
  );

  it("OAUTH9 If tokens are deleted because the server refuses them permanently, the log has a warning with the server's error code", async () => {
    const { control } = protectedServer();
    const id = await threadOf("anna");
    await connect(id);
    await control({ revokeAll: true });
    const lines: unknown[] = [];
    const spy = vi.spyOn(console, "warn").mockImplementation((line) => void lines.push(JSON.parse(String(line))));
    await ask(id);
    spy.mockRestore();
    expect(lines).toContainEqual(
      expect.objectContaining({ event: "mcp_tokens_dropped", server: "everything", cause: "invalid_grant" }),
    );
  });

  it("OAUTH9 If a server no longer knows a registered client, the tokens are deleted and the run requires an authorization", async () => {
    const { control } = protectedServer();
    const id = await threadOf("anna");
    await connect(id);
    await control({ expireAccess: true, forgetClients: true });
    expect(required((await ask(id)).events)).toHaveLength(1);
    expect(await rowsOfUser("anna")).not.toContain("authorization/everything");
  });
});

it("OAUTH5 An administrator with a user id connects a thread without a user, and no thread of another user", async () => {
  protectedServer();
  const options = { authenticate: () => ({ user: "root", role: "admin" as const }) };
  const id = await threadOf(null);
  const flow = await begin(id, { options });
  expect((await returnTo(await agree(flow), flow.cookie)).status).toBe(200);
  expect(await statusOf(id, "admin")).toMatchObject({ status: "authorized" });
  const route = `/api/threads/${await threadOf("anna")}/mcp/everything/authorization`;
  const refused = await send(route, { method: "POST", options });
  expect(refused.status).toBe(403);
  expect(await refused.text()).toContain("Only the user of the thread");
});

it("OAUTH12 Two threads of a user have separate connections if their addresses of the server differ, and a disconnect ends only one of them", async () => {
  const { control, definition, root, tenant } = protectedServer();
  useDefinition({ ...definition, url: ({ threadId }) => `${root}/mcp?thread=${threadId}` });
  const [one, other] = [await threadOf("anna"), await threadOf("anna")];
  await connect(one);
  expect(await statusOf(one)).toMatchObject({ status: "authorized" });
  expect(await statusOf(other)).toMatchObject({ status: "required" });
  await connect(other);
  for (const id of [one, other, one]) {
    const { events, result } = await ask(id);
    expect({ result, required: required(events) }).toEqual({ result: `You are ${tenant}.`, required: [] });
  }
  expect((await control()).live.access).toHaveLength(2);
  expect(await disconnect(other)).toBe(204);
  expect(await statusOf(other)).toMatchObject({ status: "required" });
  expect(await statusOf(one)).toMatchObject({ status: "authorized" });
  expect((await control()).live.access).toHaveLength(1);
});

it.each([
  ["fixed", ({ root }: { root: string }) => `${root}/mcp`],
  [
    "made by a function",
    ({ root }: { root: string }) =>
      () =>
        `${root}/mcp`,
  ],
])(
  "OAUTH17 A person disconnects from a server whose address is %s while the key of the deployment is missing",
  async (_, url) => {
    const server = protectedServer();
    useDefinition({ ...server.definition, url: url(server) });
    const id = await threadOf("anna");
    await connect(id);
    expect(await rowsOfUser("anna")).toContain("authorization/everything");
    changedVariables["ENCRYPTION_KEY"] = undefined;
    expect(await disconnect(id)).toBe(204);
    expect(await rowsOfUser("anna")).not.toContain("authorization/everything");
  },
);

it("OAUTH12 If the address of a definition changes, its tokens are not sent to the new address", async () => {
  protectedServer();
  const id = await threadOf("anna");
  await connect(id);
  const { control } = protectedServer();
  expect(required((await ask(id)).events)).toHaveLength(1);
  expect((await control()).requests).toEqual([]);
  expect(await statusOf(id)).toMatchObject({ status: "required" });
});

it("OAUTH15 A redirect of the endpoint for tokens is not followed, because the request contains secrets", async () => {
  const { control, root } = protectedServer();
  await control({ tokenRedirect: `${root}/as/revoke` });
  expect((await connect(await threadOf("anna"))).status).toBe(400);
  expect((await control()).requests).not.toContain("POST as/revoke");
});

it("OAUTH2 The header authorization of a definition is not sent to a server with OAuth, neither by an authorization flow nor by a run", async () => {
  const { control, definition } = protectedServer();
  useDefinition({ ...definition, headers: { Authorization: "Bearer of-the-definition", "x-team": "a" } });
  const id = await threadOf("anna");
  expect((await connect(id)).status).toBe(200);
  expect((await ask(id)).result).toContain("You are");
  const { sent } = await control();
  const authorizations = sent.filter(({ path }) => path === "mcp").map(({ authorization }) => authorization);
  expect(authorizations[0]).toBe("");
  expect(authorizations.slice(1)).not.toHaveLength(0);
  for (const each of authorizations.slice(1)) expect(each).toMatch(/^Bearer access-secret-/);
});

it("OAUTH17 If a person disconnects during an authorization flow, the flow stores no tokens", async () => {
  const { control } = protectedServer();
  const id = await threadOf("anna");
  const flow = await begin(id);
  const back = await agree(flow);
  expect(await disconnect(id)).toBe(204);
  expect((await returnTo(back, flow.cookie)).status).toBe(400);
  expect((await control()).requests).not.toContain("POST as/token");
});

it("OAUTH17 If a person disconnects while the code of an authorization flow is exchanged, the tokens that arrive are revoked and not stored", async () => {
  const { control } = protectedServer();
  const id = await threadOf("anna");
  const flow = await begin(id);
  const back = await agree(flow);
  await control({ holdTokens: true });
  const returned = returnTo(back, flow.cookie);
  await vi.waitUntil(async () => (await control()).paused > 0, { timeout: 20_000 });
  expect(await disconnect(id)).toBe(204);
  await control({ holdTokens: false, release: true });
  expect((await returned).status).toBe(400);
  expect(await statusOf(id)).toMatchObject({ status: "required" });
  expect((await control()).live).toEqual({ access: [], refresh: [] });
});

it("OAUTH17 If a person disconnects and connects again while an earlier code is exchanged, and the definition names the client, the tokens of the earlier code are not revoked", async () => {
  const { control, definition } = protectedServer();
  await control({ presetClient: { client_id: "preset" }, holdTokens: true });
  useDefinition({ ...definition, oauth: { clientId: "preset" } });
  const id = await threadOf("anna");
  const flow = await begin(id);
  const returned = returnTo(await agree(flow), flow.cookie);
  await vi.waitUntil(async () => (await control()).paused > 0, { timeout: 20_000 });
  await disconnect(id);
  await control({ holdTokens: false });
  expect((await connect(id)).status).toBe(200);
  await control({ release: true });
  expect((await returned).status).toBe(400);
  expect((await control()).requests).not.toContain("POST as/revoke");
  expect((await ask(id)).result).toContain("You are");
});

describe("a person who connects again", () => {
  it("OAUTH17 If a person connects again, the former tokens are revoked and the new ones are used", async () => {
    const { control } = protectedServer();
    const id = await threadOf("anna");
    await connect(id);
    const { live: old } = await control();
    await connect(id);
    const { live } = await control();
    expect(live).toEqual({ access: [expect.any(String)], refresh: [expect.any(String)] });
    expect(live.refresh).not.toEqual(old.refresh);
    expect((await ask(id)).result).toContain("You are");
    await disconnect(id);
    expect((await control()).live).toEqual({ access: [], refresh: [] });
  });

  it("OAUTH17 If the definition names the client, a new connection does not revoke the former tokens, because both may be of the same grant", async () => {
    const { control, definition } = protectedServer();
    await control({ presetClient: { client_id: "preset" } });
    useDefinition({ ...definition, oauth: { clientId: "preset" } });
    const id = await threadOf("anna");
    await connect(id);
    await connect(id);
    expect((await control()).requests).not.toContain("POST as/revoke");
    expect((await ask(id)).result).toContain("You are");
  });
});
