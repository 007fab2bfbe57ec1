// Definitions of MCP servers with OAuth whose functions throw, or that do not exist any more, over real HTTP.

import { describe, expect, it, vi } from "vitest";

import type { McpServerDefinition } from "#spec/index.ts";

import { registry } from "../worker/definitions.ts";
import {
  ask,
  begin,
  connect,
  disconnect,
  prepareEachTest,
  protectedServer,
  refusal,
  required,
  routeOf,
  rowsOfUser,
  send,
  statusOf,
  threadOf,
  useDefinition,
} from "./oauth-driver.ts";
import { admin, stubOf, value } from "./thread-driver.ts";

prepareEachTest();

const thrown = "the password is hunter2";
const fails = (): never => {
  throw new TypeError(thrown);
};

describe("a definition whose function throws", () => {
  it.each<[string, Partial<McpServerDefinition>]>([
    ["url", { url: fails }],
    ["headers", { headers: fails }],
    ["oauth.clientSecret", { oauth: { clientId: "preset", clientSecret: fails, issuer: "https://login.example" } }],
  ])(
    "If the function %s of a definition throws, the refusal names the definition and the function, and only the deployment's log has the error's text",
    async (member, change) => {
      const { definition, control } = protectedServer();
      useDefinition({ ...definition, ...change });
      const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
      const { status, code, message } = await refusal(await threadOf("anna"));
      const lines = log.mock.calls.map(([line]) => String(line));
      log.mockRestore();
      expect({ status, code }).toEqual({ status: 501, code: "not_available" });
      expect(message).toContain(`The function \`${member}\` of the MCP server "everything" threw an error. Correct`);
      expect(message).not.toContain("hunter2");
      expect(lines).toEqual([expect.stringContaining('"event":"mcp_function_failed","server":"everything"')]);
      expect(lines[0]).toContain(thrown);
      expect((await control()).requests).toEqual([]);
    },
  );

  it.each(["url", "headers"] as const)(
    "A run continues without the tools of a server if the definition's function %s throws, and the step's warning names the function",
    async (member) => {
      const { definition } = protectedServer();
      useDefinition({ ...definition, [member]: fails });
      const id = await threadOf("anna");
      const { events, request } = await ask(id);
      expect(required(events)).toEqual([]);
      expect(request?.tools).toEqual([]);
      const { items } = await value(stubOf(id).call("listLogs", admin, { limit: 10, order: "asc" }));
      expect(JSON.stringify(items)).toContain(`The function \`${member}\` of the MCP server`);
      expect(JSON.stringify(items)).not.toContain("hunter2");
    },
  );
});

it("OAUTH17 A person can disconnect although the definition's function url throws, and the tokens of the addresses that it returned before are deleted", async () => {
  const { definition, root } = protectedServer();
  useDefinition({ ...definition, url: ({ threadId }) => `${root}/mcp?thread=${threadId}` });
  const id = await threadOf("anna");
  await connect(id);
  useDefinition({ ...definition, url: fails });
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const status = await disconnect(id);
  log.mockRestore();
  expect(status).toBe(204);
  expect(await rowsOfUser("anna")).not.toContain("everything");
});

describe("a definition that does not exist any more", () => {
  /** The registry of a later deployment, without the definition. */
  const definitions = {
    ...registry,
    toolSources: (registry.toolSources ?? []).map((entry) => ({
      ...entry,
      definitions: entry.definitions.filter(({ name }) => name !== "everything"),
    })),
  };
  const disconnectLater = (id: string) => send(routeOf(id), { method: "DELETE", definitions });

  it("OAUTH17 A person disconnects from a server whose definition was removed: its tokens and its open authorization flows are deleted, and those of other servers stay", async () => {
    const { definition, root } = protectedServer();
    const id = await threadOf("anna");
    await connect(id);
    useDefinition({ ...definition, url: ({ threadId }) => `${root}/mcp?thread=${threadId}` });
    await connect(id);
    await begin(id);
    protectedServer({}, "other");
    expect((await send(routeOf(id, "other"), { method: "POST" })).status).toBe(200);
    const before = await rowsOfUser("anna");
    expect(before).toContain('"authorization/everything"');
    expect(before).toContain('"authorization/everything/');
    expect((await disconnectLater(id)).status).toBe(204);
    const after = await rowsOfUser("anna");
    expect(after).not.toContain("everything");
    expect(after).toContain('"server":"other"');
    const again = await disconnectLater(id);
    expect([again.status, await again.text()]).toEqual([
      404,
      expect.stringContaining('no MCP server \\"everything\\"'),
    ]);
  });

  it("OAUTH17 A disconnect from a server with a fixed address also deletes the tokens of addresses that a function returned before", async () => {
    const { definition, root } = protectedServer();
    useDefinition({ ...definition, url: ({ threadId }) => `${root}/mcp?thread=${threadId}` });
    const id = await threadOf("anna");
    await connect(id);
    useDefinition(definition);
    await connect(id);
    expect(await disconnect(id)).toBe(204);
    expect(await rowsOfUser("anna")).not.toContain("authorization/everything");
    expect(await statusOf(id)).toMatchObject({ status: "required" });
  });
});
