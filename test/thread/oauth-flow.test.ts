// A person's authorization flow, over real HTTP: its address, its cookie, and its end.

import { describe, expect, it } from "vitest";

import { skipFor } from "../worker/clock.ts";
import {
  agree,
  begin,
  connect,
  disconnect,
  origin,
  prepareEachTest,
  protectedServer,
  refusal,
  returnTo,
  rowsOfUser,
  send,
  statusOf,
  threadOf,
  useDefinition,
} from "./oauth-driver.ts";
import { admin, stubOf, value } from "./thread-driver.ts";

prepareEachTest();

const connected = expect.stringContaining("You can close this window") as string;
const isStale = expect.stringContaining("used already, is too old, or belongs to another browser") as string;

it("OAUTH2 The authorization request has a registered client, PKCE with S256, the resource, the scopes and the callback, and its cookie is for the callback alone", async () => {
  const { control, root } = protectedServer();
  const { url, response } = await begin(await threadOf("anna"));
  const { clients, requests } = await control();
  const query = Object.fromEntries(url.searchParams);
  expect(`${url.origin}${url.pathname}`).toBe(`${root}/as/authorize`);
  expect(query).toEqual({
    response_type: "code",
    client_id: clients[0]?.["client_id"],
    code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
    code_challenge_method: "S256",
    redirect_uri: `${origin}/api/mcp/callback/everything`,
    resource: `${root}/mcp`,
    scope: "notes",
    state: expect.stringMatching(/^1\.[\w-]+$/) as string,
  });
  expect(query["state"]).not.toContain("anna");
  expect(clients[0]).toMatchObject({
    client_name: "Threadhold",
    redirect_uris: [`${origin}/api/mcp/callback/everything`],
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "none",
  });
  expect(requests).toEqual([
    "POST mcp",
    "GET oauth-protected-resource",
    "GET oauth-authorization-server",
    "POST as/register",
  ]);
  expect(response.headers.get("set-cookie")).toMatch(
    /^threadhold_mcp_[0-9a-f]{8}=[\w-]{43}; Path=\/api\/mcp\/callback; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
  );
  expect(response.headers.get("cache-control")).toBe("no-store");
});

it("OAUTH3 The callback of an authorization flow is accepted once: a second request is refused, and nothing is sent to the authorization server", async () => {
  const { control } = protectedServer();
  const id = await threadOf("anna");
  const flow = await begin(id);
  const back = await agree(flow);
  expect(await returnTo(back, flow.cookie)).toMatchObject({ status: 200, page: connected });
  const { requests } = await control();
  expect(await returnTo(back, flow.cookie)).toMatchObject({ status: 400, page: isStale });
  expect((await control()).requests).toEqual(requests);
});

it("OAUTH3 An authorization flow is completed 9 minutes after its beginning, and refused after 10 minutes", async () => {
  const { control } = protectedServer();
  // Without an owner, the thread stores the flows, and the test sets the thread's clock.
  const id = await threadOf(null);
  const [early, late] = [await begin(id, { who: "admin" }), await begin(id, { who: "admin" })];
  const [inTime, tooLate] = [await agree(early), await agree(late)];
  skipFor(id, 9 * 60_000);
  expect(await returnTo(inTime, early.cookie)).toMatchObject({ status: 200, page: connected });
  const { requests } = await control();
  skipFor(id, 60_000);
  expect(await returnTo(tooLate, late.cookie)).toMatchObject({ status: 400, page: isStale });
  expect((await control()).requests).toEqual(requests);
});

it("OAUTH4 An authorization flow ends only in the browser that began it: without its cookie, or with that of another authorization flow, nothing is stored", async () => {
  const { control } = protectedServer();
  const id = await threadOf("anna");
  const [flow, other] = [await begin(id), await begin(await threadOf("ben"), { who: "ben" })];
  const back = await agree(flow);
  const [name = "", own = ""] = flow.cookie.split("=");
  const foreign = other.cookie.split("=")[1] ?? "";
  for (const cookie of [undefined, "", other.cookie, `${name}=${foreign}`, `${name}=${own}x`, `x${name}=${own}`]) {
    expect(await returnTo(back, cookie), String(cookie)).toMatchObject({ status: 400, page: isStale });
  }
  expect((await control()).requests).not.toContain("POST as/token");
  expect(await statusOf(id)).toMatchObject({ status: "required" });
  expect(await returnTo(back, `a=b; ${flow.cookie}; c=d`)).toMatchObject({ status: 200, page: connected });
});

it("OAUTH5 Only the user of a thread begins an authorization flow: another user's thread does not exist, and an administrator is refused", async () => {
  protectedServer();
  const id = await threadOf("anna");
  expect(await refusal(id, "ben")).toMatchObject({ status: 404, code: "thread_not_found" });
  expect(await refusal(id, "admin")).toMatchObject({ status: 403, code: "forbidden" });
  expect((await send(`/api/threads/${id}/mcp/everything/authorization`, { who: null, method: "POST" })).status).toBe(
    401,
  );
  const unknown = await send(`/api/threads/${id}/mcp/nothing/authorization`, { method: "POST" });
  expect(unknown.status).toBe(404);
  const foreign = { method: "POST", headers: { origin: "https://evil.example" } };
  expect((await send(`/api/threads/${id}/mcp/everything/authorization`, foreign)).status).toBe(403);
});

it("OAUTH5 The states of two users and of two servers cannot be exchanged, and a state that this deployment did not create is refused", async () => {
  const { control } = protectedServer();
  protectedServer({}, "other");
  const [anna, ben] = [await threadOf("anna"), await threadOf("ben")];
  const flow = await begin(anna);
  const others = [await begin(ben, { who: "ben" }), await begin(anna, {})];
  const back = await agree(flow);
  for (const other of others) {
    const crossed = new URL(back);
    crossed.searchParams.set("state", other.url.searchParams.get("state") ?? "");
    expect(await returnTo(crossed, flow.cookie)).toMatchObject({ status: 400, page: isStale });
  }
  const state = back.searchParams.get("state") ?? "";
  for (const forged of [
    "",
    "x",
    state.slice(0, -2),
    `${state.slice(0, 20)}AA${state.slice(22)}`,
    "1.AAAA",
    "x".repeat(9000),
  ]) {
    const crossed = new URL(back);
    crossed.searchParams.set("state", forged);
    expect((await returnTo(crossed, flow.cookie)).page, forged.slice(0, 30)).toContain("not valid, or is too old");
  }
  expect((await control()).requests).not.toContain("POST as/token");
});

it("OAUTH7 The page shows the code of an authorization server's refusal only if the code is known, and repeats no text of the request", async () => {
  const { control } = protectedServer();
  const id = await threadOf("anna");
  await control({ deny: true });
  expect((await connect(id)).page).toContain("(access_denied)");
  const hostile = "<script>alert(1)</script>";
  await control({ error: hostile });
  const { status, page } = await connect(id);
  expect({ status, hasScript: page.includes("script") }).toEqual({ status: 400, hasScript: false });
  const { response } = await returnTo(
    new URL(`${origin}/api/mcp/callback/everything?state=${encodeURIComponent(hostile)}`),
  );
  expect(await response.text()).not.toContain("script");
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": expect.stringContaining("default-src 'none'") as string,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  });
});

it("OAUTH7 A HEAD request to the callback, and a callback without a code, do not connect the user", async () => {
  const { control } = protectedServer();
  const id = await threadOf("anna");
  const flow = await begin(id);
  const back = await agree(flow);
  const preview = await send(back.pathname + back.search, { who: null, method: "HEAD", cookie: flow.cookie });
  expect(preview.status).toBe(200);
  expect(await statusOf(id)).toMatchObject({ status: "required" });
  expect(await returnTo(back, flow.cookie)).toMatchObject({ status: 200, page: connected });
  const second = await begin(id);
  const empty = await agree(second);
  empty.searchParams.delete("code");
  expect((await returnTo(empty, second.cookie)).page).toContain("returned no code");
  expect((await control()).requests.filter((line) => line === "POST as/token")).toHaveLength(1);
});

describe("clients", () => {
  it("OAUTH16 If an authorization server registers no clients, the refusal names the redirect address and the option oauth.clientId", async () => {
    const { control } = protectedServer();
    await control({ serverMetadata: { registration_endpoint: null } });
    const { status, code, message } = await refusal(await threadOf("anna"));
    expect({ status, code }).toEqual({ status: 501, code: "not_available" });
    expect(message).toContain(`${origin}/api/mcp/callback/everything`);
    expect(message).toContain("`oauth.clientId`");
  });

  it("OAUTH16 A refused registration is an error with the code of the server and without its text", async () => {
    const { control } = protectedServer();
    await control({ refuseRegistration: true });
    const { message } = await refusal(await threadOf("anna"));
    expect(message).toContain("(invalid_client_metadata)");
    expect(message).not.toContain("a description");
  });

  it("OAUTH16 A registered client with a secret authenticates with it when it exchanges the code", async () => {
    const { control } = protectedServer();
    await control({ confidential: true });
    expect(await connect(await threadOf("anna"))).toMatchObject({ status: 200, page: connected });
  });

  it("OAUTH15 Tokens are requested over http from a host that the definition allows", async () => {
    const { root } = protectedServer();
    // Another name of this machine, for which the SDK demands https.
    const url = new URL(`${root}/mcp`);
    url.hostname = "0.0.0.0";
    useDefinition({ url: url.href, oauth: true, allowedHosts: [url.host] });
    const id = await threadOf("anna");
    expect(await connect(id)).toMatchObject({ status: 200, page: connected });
  });

  it("OAUTH16 A client of the definition is used without a registration, with the secret that its function returns", async () => {
    const { control, issuer, definition } = protectedServer();
    const clientSecret = "secret-of-the-client";
    await control({ presetClient: { client_id: "preset", client_secret: clientSecret } });
    const more = {
      ...definition,
      oauth: { clientId: "preset", clientSecret: () => clientSecret, issuer, scopes: ["a", "b"] },
    };
    useDefinition(more);
    const id = await threadOf("anna");
    const flow = await begin(id);
    expect(flow.url.searchParams.get("client_id")).toBe("preset");
    expect(flow.url.searchParams.get("scope")).toBe("a b");
    expect(await returnTo(await agree(flow), flow.cookie)).toMatchObject({ status: 200, page: connected });
    expect((await control()).requests).not.toContain("POST as/register");
  });

  it("OAUTH16 The secret of a client is sent to the issuer of the definition alone, and an empty secret is an error", async () => {
    const { definition, control } = protectedServer();
    const oauth = { clientId: "preset", clientSecret: "s", issuer: "https://login.example" };
    useDefinition({ ...definition, oauth });
    expect((await refusal(await threadOf("anna"))).message).toContain("names another authorization server");
    expect((await control()).requests).not.toContain("POST as/token");
    useDefinition({ ...definition, oauth: { ...oauth, clientSecret: () => "" } });
    expect((await refusal(await threadOf("anna"))).message).toContain("`oauth.clientSecret` is empty");
  });
});

describe("hostile servers", () => {
  it.each([
    ["whose metadata names another issuer", { serverMetadata: { issuer: "https://evil.example" } }, "another issuer"],
    [
      "whose endpoint for authorizations is a script",
      { serverMetadata: { authorization_endpoint: "javascript:alert(1)//" } },
      "unexpected form",
    ],
    [
      "whose endpoint for authorizations is a file",
      { serverMetadata: { authorization_endpoint: "file:///etc/passwd" } },
      "an address that is not allowed",
    ],
    [
      "whose endpoint for authorizations is http on another host",
      { serverMetadata: { authorization_endpoint: "http://login.example/authorize" } },
      "an address that is not allowed",
    ],
    [
      "whose endpoint for tokens is in the private network",
      { serverMetadata: { token_endpoint: "https://10.0.0.1/token" } },
      "an address that is not allowed",
    ],
    [
      "whose endpoint for registrations is in the private network",
      { serverMetadata: { registration_endpoint: "http://169.254.169.254/register" } },
      "an address that is not allowed",
    ],
    ["without PKCE", { serverMetadata: { code_challenge_methods_supported: ["plain"] } }, "does not support PKCE"],
    ["whose metadata does not mention PKCE", { serverMetadata: { code_challenge_methods_supported: null } }, "PKCE"],
    ["whose metadata is huge", { huge: true }, "The search for the authorization server"],
    [
      "that describes another resource",
      { resourceMetadata: { resource: "https://bank.example/mcp" } },
      "describes another resource",
    ],
    [
      "whose authorization server is in the private network",
      { resourceMetadata: { authorization_servers: ["http://10.0.0.1/"] } },
      "The search for the authorization server",
    ],
    [
      "whose challenge names metadata in the private network",
      { challenge: 'Bearer resource_metadata="http://169.254.169.254/latest"' },
      "The search for the authorization server",
    ],
  ])("OAUTH15 A server %s is refused before an authorization flow begins", async (_, change, reason) => {
    const { control } = protectedServer();
    await control(change);
    const { status, message } = await refusal(await threadOf("anna"));
    expect({ status, message }).toEqual({ status: 501, message: expect.stringContaining(reason) as string });
    const { requests } = await control();
    expect(requests).not.toContain("POST as/register");
    expect(await rowsOfUser("anna")).not.toContain("authorization-visit");
  });

  it.each([
    ["of another type", { tokenType: "mac" }],
    ["with a line break", { lie: { access_token: "a\r\nx-admin: 1" } }],
    ["that is empty", { lie: { access_token: "" } }],
    ["that is too long", { lie: { access_token: "x".repeat(20_000) } }],
    ["that is no text", { lie: { access_token: { a: 1 } } }],
  ])("OAUTH15 A token %s is not stored", async (_, change) => {
    const { control } = protectedServer();
    await control(change);
    const id = await threadOf("anna");
    expect((await connect(id)).status).toBe(400);
    expect(await statusOf(id)).toMatchObject({ status: "required" });
  });

  it("OAUTH15 If the token endpoint fails, the callback's page states that the exchange of the code failed", async () => {
    const { control } = protectedServer();
    await control({ tokenStatus: 500 });
    const { status, page } = await connect(await threadOf("anna"));
    expect({ status, page }).toEqual({
      status: 400,
      page: expect.stringContaining("The exchange of the code") as string,
    });
  });

  it("OAUTH15 If the token endpoint refuses the code, the callback's page contains the error's code and not the text of the response", async () => {
    const { control, definition, issuer } = protectedServer();
    await control({ presetClient: { client_id: "preset", client_secret: "right" } });
    useDefinition({ ...definition, oauth: { clientId: "preset", clientSecret: "wrong", issuer } });
    const { status, page } = await connect(await threadOf("anna"));
    expect({ status, page }).toEqual({ status: 400, page: expect.stringContaining("(invalid_client)") as string });
    // The response describes the error with the text of the request.
    const text = (await control()).sent.find(({ path }) => path === "as/token")?.text ?? "";
    expect(text).toContain("grant_type=authorization_code");
    for (const part of text.split("&")) expect(page).not.toContain(part);
  });
});

describe("the end of an authorization", () => {
  it("OAUTH17 A disconnect deletes the stored tokens and revokes them at the server, and another user cannot disconnect", async () => {
    const { control } = protectedServer();
    const id = await threadOf("anna");
    await connect(id);
    expect((await control()).live).toEqual({ access: [expect.any(String)], refresh: [expect.any(String)] });
    expect(await disconnect(id, "ben")).toBe(404);
    expect(await disconnect(id)).toBe(204);
    expect(await statusOf(id)).toMatchObject({ status: "required" });
    const { live, requests } = await control();
    expect(live).toEqual({ access: [], refresh: [] });
    expect(requests.filter((line) => line === "POST as/revoke")).toHaveLength(2);
    expect(await rowsOfUser("anna")).not.toContain("authorization/");
    expect(await disconnect(id)).toBe(204);
  });

  it("OAUTH17 An administrator disconnects a user in a thread of this user, also in a new one, and no other user is disconnected", async () => {
    const { control } = protectedServer();
    for (const user of ["anna", "ben"] as const) await connect(await threadOf(user), user);
    const created = await threadOf("anna");
    expect(await disconnect(created, "admin")).toBe(204);
    expect(await rowsOfUser("anna")).not.toContain("authorization/");
    expect(await rowsOfUser("ben")).toContain("authorization/");
    expect((await control()).live).toEqual({ access: [expect.any(String)], refresh: [expect.any(String)] });
    // A server without OAuth, and one that no definition has and that stored nothing.
    const other = `/api/threads/${created}/mcp/nothing/authorization`;
    expect((await send(other, { method: "DELETE", who: "admin" })).status).toBe(404);
  });

  it("OAUTH17 A person can also disconnect from a server that has no endpoint for the revocation of tokens", async () => {
    const { control } = protectedServer();
    await control({ serverMetadata: { revocation_endpoint: null } });
    const id = await threadOf("anna");
    await connect(id);
    expect(await disconnect(id)).toBe(204);
    expect(await statusOf(id)).toMatchObject({ status: "required" });
  });
});

it("OAUTH21 If the API has a prefix, the address of the callback and the path of the cookie have the prefix", async () => {
  protectedServer();
  const options = { prefix: "/agents" };
  const id = await threadOf("anna");
  const response = await send(`/agents/api/threads/${id}/mcp/everything/authorization`, { method: "POST", options });
  const { authorization_url: address } = await response.json<{ authorization_url: string }>();
  const cookie = response.headers.get("set-cookie") ?? "";
  expect(cookie).toContain("; Path=/agents/api/mcp/callback;");
  expect(new URL(address).searchParams.get("redirect_uri")).toBe(`${origin}/agents/api/mcp/callback/everything`);
  const back = await agree({ response, url: new URL(address), cookie });
  expect(await returnTo(back, cookie.split(";")[0], options)).toMatchObject({ status: 200, page: connected });
});

it("OAUTH10 The authorization of a thread without an owner applies to no other thread", async () => {
  protectedServer();
  const [one, other] = [await threadOf(null), await threadOf(null)];
  expect(await refusal(one, "anna")).toMatchObject({ status: 404 });
  expect(await connect(one, "admin")).toMatchObject({ status: 200, page: connected });
  expect(await statusOf(one, "admin")).toMatchObject({ status: "authorized" });
  expect(await statusOf(other, "admin")).toMatchObject({ status: "required" });
  await value(stubOf(one).call("remove", admin));
  expect((await send(`/api/threads/${one}/mcp/everything/authorization`, { who: "admin" })).status).toBe(404);
});
