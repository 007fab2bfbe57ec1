// The defence against a code that another authorization server issued (mix-up, RFC 9700 section 4.4), over real HTTP: by the parameter `iss`,
// and by an address of the callback for each definition.

import { expect, it } from "vitest";

import {
  agree,
  begin,
  connect,
  prepareEachTest,
  protectedServer,
  returnTo,
  routeOf,
  send,
  statusOf,
  threadOf,
  useDefinition,
} from "./oauth-driver.ts";

prepareEachTest();

const connected = expect.stringContaining("You can close this window") as string;

it("OAUTH6 A code is not sent to the authorization server if the response names another issuer, or none although the server announces it", async () => {
  for (const change of [{ foreignIssuer: "https://evil.example" }, { noIssuer: true }]) {
    const { control } = protectedServer();
    await control(change);
    const id = await threadOf("anna");
    expect(await connect(id)).toMatchObject({
      status: 400,
      page: expect.stringContaining("Another authorization server than the expected one") as string,
    });
    expect((await control()).requests).not.toContain("POST as/token");
    expect(await statusOf(id)).toMatchObject({ status: "required" });
  }
});

it("OAUTH6 A code that a hostile authorization server obtained from another one is sent to neither of them, although neither sends its issuer", async () => {
  const silent = { noIssuer: true, serverMetadata: { authorization_response_iss_parameter_supported: false } };
  const [hostile, other] = [protectedServer(), protectedServer({}, "other")];
  for (const { control } of [hostile, other]) await control(silent);
  const id = await threadOf("anna");
  const flow = await begin(id);
  const response = await send(routeOf(id, "other"), { method: "POST" });
  const { authorization_url: address } = await response.json<{ authorization_url: string }>();
  // The hostile server sends the person on to the other one, with the state of its own flow and a verifier that it will learn.
  const mixed = new URL(address);
  for (const name of ["state", "code_challenge"]) mixed.searchParams.set(name, flow.url.searchParams.get(name) ?? "");
  const back = await agree({ ...flow, url: mixed });
  const code = back.searchParams.get("code") ?? "";
  expect((await other.control()).secrets).toContain(code);
  expect(await returnTo(back, flow.cookie)).toMatchObject({
    status: 400,
    page: expect.stringContaining("Another authorization server than the expected one") as string,
  });
  for (const { control } of [hostile, other]) {
    const { requests, sent } = await control();
    expect(requests).not.toContain("POST as/token");
    expect(JSON.stringify(sent)).not.toContain(code);
  }
  // The flow itself is not affected.
  expect(await returnTo(await agree(flow), flow.cookie)).toMatchObject({ status: 200, page: connected });
});

it("OAUTH6 A code is sent to the authorization server with which its flow began, also if the MCP server names another one meanwhile", async () => {
  const first = protectedServer();
  const flow = await begin(await threadOf("anna"));
  const back = await agree(flow);
  const { tenant, definition } = first;
  const second = protectedServer();
  // The same address and another authorization server.
  useDefinition(definition);
  await first.control({ resourceMetadata: { authorization_servers: [second.issuer] } });
  expect(await returnTo(back, flow.cookie)).toMatchObject({ status: 200, page: connected });
  expect(tenant).not.toBe(second.tenant);
  expect((await first.control()).requests).toContain("POST as/token");
  expect((await second.control()).sent).toEqual([]);
});

it("OAUTH6 A code without an issuer is accepted if the server does not announce that it sends its issuer", async () => {
  const { control } = protectedServer();
  await control({ noIssuer: true, serverMetadata: { authorization_response_iss_parameter_supported: false } });
  expect(await connect(await threadOf("anna"))).toMatchObject({ status: 200, page: connected });
});
