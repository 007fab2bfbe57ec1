// What a token, an authorization flow and a list of tools must not reach, over real HTTP: other origins, other users, and pages of other sites.

import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { systemClock } from "#lib/system-clock.ts";
import { authorizedRequests } from "#tools/mcp/oauth/authorized-requests.ts";

import {
  agree,
  ask,
  begin,
  connect,
  prepareEachTest,
  protectedServer,
  returnTo,
  send,
  statusOf,
  storeOfUser,
  threadOf,
} from "./oauth-driver.ts";

prepareEachTest();

it("OAUTH11 The token is sent to the origin of the definition's address alone", async () => {
  const { definition } = protectedServer();
  await connect(await threadOf("anna"));
  const received: (string | null)[] = [];
  const url = new URL(String(definition.url));
  const requests = await authorizedRequests(
    { name: "everything", url: url.href, oauth: true },
    {
      fetch: async (_, { headers } = {}) => {
        received.push(new Headers(headers).get("authorization"));
        return new Response("{}");
      },
      clock: systemClock,
      env: { ...(env as unknown as Record<string, unknown>) },
      log: () => undefined,
      files: { read: () => Promise.reject(new Error("no files")), stat: () => Promise.reject(new Error("no files")) },
      threadId: "t",
      userId: "anna",
      hash: "h",
      authorizations: { owner: { user: "anna" }, store: storeOfUser("anna") },
      readSchema: () => () => null,
      checkArguments: () => null,
    },
    url,
  );
  await requests.fetch(url.href, {});
  await requests.fetch("https://other.example/mcp", {});
  await requests.fetch(`http://${url.hostname}:1/mcp`, {});
  expect(received.map((authorization) => authorization?.startsWith("Bearer access-secret-") ?? null)).toEqual([
    true,
    null,
    null,
  ]);
});

it("OAUTH11 A list of tools that was requested with one user's token is not reused for another user, whose list is requested again", async () => {
  const { control } = protectedServer();
  const countRequests = async (user: "anna" | "ben") => {
    const id = await threadOf(user);
    await connect(id, user);
    const before = (await control()).requests.length;
    await ask(id);
    return (await control()).requests.slice(before).filter((line) => line === "POST mcp").length;
  };
  const first = await countRequests("ben");
  expect(first).toBeGreaterThan(1);
  expect(await countRequests("anna")).toBe(first);
});

it("OAUTH5 A page of another origin cannot disconnect a person", async () => {
  protectedServer();
  const id = await threadOf("anna");
  await connect(id);
  const headers = { origin: "https://evil.example" };
  const refused = await send(`/api/threads/${id}/mcp/everything/authorization`, { method: "DELETE", headers });
  expect(refused.status).toBe(403);
  expect(await statusOf(id)).toMatchObject({ status: "authorized" });
});

it.each(["code", "iss"])(
  "OAUTH6 If a callback repeats the parameter %s, its code is not sent to the authorization server",
  async (name) => {
    const { control } = protectedServer();
    const flow = await begin(await threadOf("anna"));
    const back = await agree(flow);
    back.searchParams.append(name, "https://second.example");
    expect((await returnTo(back, flow.cookie)).status).toBe(400);
    expect((await control()).requests).not.toContain("POST as/token");
  },
);
