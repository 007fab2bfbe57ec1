// Authentication: tokens, signed tokens, the open loopback mode, and every credential that must be refused.

import { CompactSign, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import type { CryptoKey, JWTPayload } from "jose";
import { describe, expect, it } from "vitest";

import { routes } from "#contract/route.ts";
import { dialects } from "#dialect/dialects.ts";
import type { Variables } from "#http/variables.ts";

import { adminToken, annaToken, refusalOf, testApp, tokens } from "./support/test-app.ts";
import type { Ask, TestApp } from "./support/test-app.ts";

const nowSeconds = 1_700_000_000;

/** The owner of a thread that is created with this bearer token: the user as whom the app identified the caller. */
async function ownerBy(app: TestApp, authorization: string | null, base?: string): Promise<unknown> {
  const response = await app.ask("/api/threads", {
    method: "POST",
    token: null,
    headers: authorization === null ? {} : { authorization },
    json: { agent_id: "helper" },
    ...(base === undefined ? {} : { base }),
  });
  if (response.status !== 201) return (await refusalOf(response)).code;
  return (await response.json<{ user_id: string | null }>()).user_id;
}

describe("API tokens", () => {
  const cases: [string, string | null, unknown][] = [
    ["an administrator's token names no user", `Bearer ${adminToken}`, null],
    ["a user's token stands for the user", `Bearer ${annaToken}`, "anna"],
    ["the scheme's letter case does not matter", `bearer ${annaToken}`, "anna"],
    ["no header", null, "unauthorized"],
    ["an empty token", "Bearer ", "unauthorized"],
    ["another scheme", `Basic ${annaToken}`, "unauthorized"],
    ["a wrong token", "Bearer nope", "unauthorized"],
    ["a token cut short", `Bearer ${annaToken.slice(0, -1)}`, "unauthorized"],
    ["a token with its user id", `Bearer ${annaToken}=anna`, "unauthorized"],
    ["two tokens", `Bearer ${annaToken} ${annaToken}`, "unauthorized"],
  ];
  it.each(cases)("AUTH1 The Authorization header decides who the caller is: %s", async (_name, header, expected) => {
    expect(await ownerBy(testApp(), header)).toBe(expected);
  });

  it.each([
    ["an administrator", adminToken, { user_id: null, admin: true }],
    ["a user", annaToken, { user_id: "anna", admin: false }],
  ])("AUTH1 A caller can read which user its credentials identify: %s", async (_name, token, expected) => {
    const answer = await testApp().ask("/api/caller", { token });
    expect(await answer.json()).toEqual(expected);
    expect((await testApp().ask("/api/caller", { token: null })).status).toBe(401);
  });

  it("AUTH1 A refusal states how to authenticate", async () => {
    const response = await testApp().ask("/api/agents", { token: null });
    expect(response.headers.get("www-authenticate")).toBe("Bearer");
    expect(await refusalOf(response)).toMatchObject({ status: 401, code: "unauthorized" });
  });

  it.each(["token", "access_token", "ticket"])("AUTH1 A token in the query field %s is no credential", async (name) => {
    const { ask, seed } = testApp();
    const { id } = seed();
    for (const path of [`/api/threads/${id}`, `/api/threads/${id}/events`]) {
      expect((await ask(`${path}?${name}=${annaToken}`, { token: null })).status).toBe(401);
    }
  });

  it("AUTH1 A secret may contain equals signs, and the last one separates it from its user", async () => {
    const app = testApp({ variables: { API_TOKENS: " c2VjcmV0==anna , other=bernd" } });
    expect(await ownerBy(app, "Bearer c2VjcmV0=")).toBe("anna");
    expect(await ownerBy(app, "Bearer other")).toBe("bernd");
  });

  it("AUTH2 A caller's identity is never taken from a header", async () => {
    const { ask, seed, object } = testApp();
    const { id } = seed("bernd");
    const forged = JSON.stringify({ user: "bernd", admin: true });
    const headers = { "x-threadhold-caller": forged, "x-user-id": "bernd", "x-forwarded-user": "bernd" };
    expect((await ask(`/api/threads/${id}`, { headers })).status).toBe(404);
    expect((await ask(`/api/threads/${id}/events`, { headers })).status).toBe(404);
    expect(object(id).subscribers).toHaveLength(0);
  });
});

describe("configuration", () => {
  const closed: [string, Variables][] = [
    ["nothing is configured", {}],
    ["API_TOKENS is empty", { API_TOKENS: "", OPEN_LOOPBACK: "true" }],
    ["API_TOKENS is blank", { API_TOKENS: "  " }],
    ["a secret is empty", { API_TOKENS: "=anna" }],
    ["a user id is empty", { API_TOKENS: "secret=" }],
    ["an entry is empty", { API_TOKENS: "secret,,other" }],
    ["a secret is there twice", { API_TOKENS: "secret=anna,secret=bernd" }],
    ["JWT_SECRET is empty", { JWT_SECRET: "", OPEN_LOOPBACK: "true" }],
    ["JWKS_URL is no URL", { JWKS_URL: "keys", API_TOKENS: tokens }],
    ["JWKS_URL is not safe", { JWKS_URL: "http://keys.example/jwks" }],
    ["both kinds of keys are set", { JWKS_URL: "https://keys.example", JWT_SECRET: "secret" }],
    ["JWT_ISSUER is empty", { JWT_SECRET: "secret", JWT_ISSUER: "" }],
    ["JWT_AUDIENCE is empty", { JWT_SECRET: "secret", JWT_AUDIENCE: " " }],
    ["OPEN_LOOPBACK is another word", { OPEN_LOOPBACK: "1" }],
  ];
  it.each(closed)("AUTH3 The API is not served, and /healthz is, when %s", async (_name, variables) => {
    const { ask, log } = testApp({ variables });
    for (const token of [null, "secret", annaToken, ""]) {
      const response = await ask("/api/agents", { token, base: "http://localhost:8787" });
      expect(await refusalOf(response)).toMatchObject({ status: 503, code: "auth_not_configured" });
    }
    expect(log).toHaveLength(1);
    expect(log[0]).not.toContain("secret=anna");
    expect((await ask("/healthz", { token: null })).status).toBe(200);
  });

  const table = [routes, ...dialects.map((dialect) => dialect.routes)].flatMap((group) => Object.values(group));
  it.each(table.filter(({ access }) => access !== "public"))(
    "AUTH3 The route $method $path is not served if authentication is not configured or its configuration is invalid",
    async ({ method, path, stream }) => {
      for (const variables of [{}, { API_TOKENS: "secret=" }]) {
        const { ask, seed, reached } = testApp({ variables });
        const { id } = seed();
        const address = path.replace(":id", id).replaceAll(/[:*]\w+\??/g, "any");
        const headers = { upgrade: "websocket" };
        for (const token of [null, "secret", annaToken]) {
          const response = await ask(address, { method, token, headers: stream === "socket" ? headers : {} });
          expect(await refusalOf(response)).toMatchObject({ status: 503, code: "auth_not_configured" });
        }
        expect(reached).toEqual([]);
      }
    },
  );

  it("AUTH3 Without configured authentication the page is served, and the project's routes and the OAuth callback are not, even if they are public", async () => {
    const open = table.filter(({ access }) => access === "public").map(({ path }) => path);
    expect(open).toEqual(["/healthz", "/api/mcp/callback/:server"]);
    const built = '<!doctype html><meta name="threadhold" data-pages="" data-api="" />the page';
    const assets = (): Promise<Response> => Promise.resolve(new Response(built));
    const load = () => Promise.resolve(() => new Response("the project"));
    const route = { method: "GET", kind: "controller", file: "weather.get.ts", load } as const;
    const { ask } = testApp({
      variables: {},
      dependencies: { assets },
      routes: [
        { ...route, params: [], pattern: "/weather" },
        { ...route, params: [], pattern: "/health", access: "public" },
      ],
    });
    const page = await ask("/", { token: null, headers: { accept: "text/html" } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringMatching(/the page$/)]);
    for (const path of ["/api/weather", "/api/health", "/api/mcp/callback/notes?state=x"])
      expect(await refusalOf(await ask(path))).toMatchObject({ status: 503, code: "auth_not_configured" });
  });
});

describe("open loopback mode", () => {
  const open = { OPEN_LOOPBACK: "true" };
  it.each([
    "http://localhost:8787",
    "http://127.0.0.1:8787",
    "http://127.8.9.10",
    "http://[::1]:8787",
    "http://LOCALHOST",
  ])("AUTH4 The address %s is a loopback address, and its caller is an administrator", async (base) => {
    expect(await ownerBy(testApp({ variables: open }), null, base)).toBe(null);
  });

  it.each([
    "http://localhost.example",
    "http://127.0.0.1.nip.io",
    "http://192.168.0.2",
    "http://0.0.0.0",
    "http://[::2]",
    "https://api.example",
  ])("AUTH4 The address %s is no loopback address and is refused", async (base) => {
    expect(await ownerBy(testApp({ variables: open }), null, base)).toBe("auth_not_configured");
  });

  const base = "http://localhost:8787";
  const pages: [string, number, Record<string, string>][] = [
    ["its own page", 200, { origin: base }],
    ["no page", 200, {}],
    ["a foreign page", 403, { origin: "https://evil.example" }],
    ["a page without an origin of its own", 403, { origin: "null" }],
    ["a foreign page that hides its origin", 403, { "sec-fetch-site": "cross-site" }],
    ["a page that is listed", 200, { origin: "https://app.example" }],
  ];
  it.each(pages)(
    "AUTH4 In open loopback mode, a request from %s is answered with status %d",
    async (_name, status, headers) => {
      const { ask } = testApp({ variables: { ...open, ALLOWED_ORIGINS: "https://app.example" } });
      expect((await ask("/api/agents", { token: null, headers, base })).status).toBe(status);
    },
  );

  it("AUTH4 A request with a foreign host name in the Host header (DNS rebinding) is refused in open loopback mode", async () => {
    const { ask } = testApp({ variables: open });
    const response = await ask("/api/agents", { token: null, headers: { host: "evil.example" }, base });
    expect(response.status).toBe(503);
  });

  it.each(["/", "/healthz", "/api/nothing", "/api/agents"])(
    "AUTH12 A request to %s with a foreign host name is refused in open loopback mode",
    async (path) => {
      const { ask } = testApp({ variables: open });
      const foreign: Ask[] = [
        { headers: { host: "evil.example:8787" }, base },
        { base: "http://evil.example:8787" },
        { method: "OPTIONS", headers: { host: "evil.example" }, base },
        { headers: { "mf-original-url": `${base}${path}` }, base },
      ];
      for (const options of foreign) {
        const response = await ask(path, { token: null, ...options });
        expect(await refusalOf(response)).toMatchObject({ status: 503, code: "auth_not_configured" });
      }
      expect((await testApp().ask("/healthz", { base: "http://evil.example" })).status).toBe(200);
    },
  );

  it("AUTH4 The open loopback mode is off if API_TOKENS is configured", async () => {
    const { ask } = testApp({ variables: { ...open, API_TOKENS: tokens } });
    expect((await ask("/api/agents", { token: null, base })).status).toBe(401);
  });

  it("AUTH4 The open loopback mode has no rate limits", async () => {
    const { ask, seed } = testApp({ variables: { ...open, LIMIT_ADMISSIONS_PER_MINUTE: "1" } });
    const { id } = seed(null);
    const post = { method: "POST", token: null, base, json: { content: "hi" } };
    for (let index = 0; index < 5; index++) expect((await ask(`/api/threads/${id}/messages`, post)).status).toBe(202);
  });
});

describe("signed tokens by secret", () => {
  const secret = "a-secret-that-only-the-issuer-knows";
  const variables = { JWT_SECRET: secret, JWT_ISSUER: "https://issuer.example", JWT_AUDIENCE: "threadhold" };
  const good: JWTPayload = { sub: "anna", iss: variables.JWT_ISSUER, aud: "threadhold", exp: nowSeconds + 60 };
  const sign = (payload: JWTPayload, alg = "HS256", key = secret): Promise<string> =>
    new SignJWT(payload).setProtectedHeader({ alg }).sign(new TextEncoder().encode(key));
  const signed = (payload: Record<string, unknown>): Promise<string> =>
    new SignJWT(payload).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(secret));

  const signedText = (payload: string): Promise<string> =>
    new CompactSign(new TextEncoder().encode(payload))
      .setProtectedHeader({ alg: "HS256" })
      .sign(new TextEncoder().encode(secret));

  const cases: [string, () => Promise<string> | string, unknown][] = [
    ["a good one", () => signed(good), "anna"],
    ["an administrator with a user", () => signed({ ...good, role: "admin" }), "anna"],
    ["an administrator without a user", () => signed({ ...good, sub: undefined, role: "admin" }), null],
    ["another role changes nothing", () => signed({ ...good, role: "owner" }), "anna"],
    ["an expired one", () => signed({ ...good, exp: nowSeconds - 1 }), "unauthorized"],
    ["one that is not yet valid", () => signed({ ...good, nbf: nowSeconds + 60 }), "unauthorized"],
    ["another issuer", () => signed({ ...good, iss: "https://evil.example" }), "unauthorized"],
    ["no issuer", () => signed({ ...good, iss: undefined }), "unauthorized"],
    ["another audience", () => signed({ ...good, aud: "other" }), "unauthorized"],
    ["no end", () => signed({ ...good, exp: undefined }), "unauthorized"],
    ["an end that is text", () => signed({ ...good, exp: String(nowSeconds + 60) }), "unauthorized"],
    ["an end in 31 days", () => signed({ ...good, exp: nowSeconds + 31 * 86_400 }), "anna"],
    ["an end later than that", () => signed({ ...good, exp: nowSeconds + 31 * 86_400 + 1 }), "unauthorized"],
    [
      "an end beyond all numbers",
      () => signedText(`{"sub":"anna","iss":"${good.iss ?? ""}","aud":"threadhold","exp":1e999}`),
      "unauthorized",
    ],
    ["a user that is a number", () => signed({ ...good, sub: 7 }), "unauthorized"],
    ["a user that is a number, of an administrator", () => signed({ ...good, sub: 7, role: "admin" }), "unauthorized"],
    ["a user that is null", () => signed({ ...good, sub: null, role: "admin" }), "unauthorized"],
    ["no user", () => signed({ ...good, sub: undefined }), "unauthorized"],
    ["an empty user", () => signed({ ...good, sub: "" }), "unauthorized"],
    ["another secret", () => sign(good, "HS256", "another"), "unauthorized"],
    ["another algorithm with the secret", () => sign(good, "HS512"), "unauthorized"],
    ["no signature", () => new UnsecuredJWT(good).encode(), "unauthorized"],
    ["a claimed algorithm of none", () => `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify(good))}.`, "unauthorized"],
    ["no token at all", () => "a.b.c", "unauthorized"],
  ];
  it.each(cases)(
    "AUTH5 A signed token is accepted or refused by its claims and its signature: %s",
    async (_name, make, expected) => {
      expect(await ownerBy(testApp({ variables }), `Bearer ${await make()}`)).toBe(expected);
    },
  );

  it("AUTH5 A token with the role of an administrator identifies an administrator", async () => {
    const app = testApp({ variables });
    const { id } = app.seed("bernd");
    const asUser = await signed(good);
    const asAdmin = await signed({ ...good, role: "admin" });
    expect((await app.ask(`/api/threads/${id}`, { token: asUser })).status).toBe(404);
    expect((await app.ask(`/api/threads/${id}`, { token: asAdmin })).status).toBe(200);
  });
});

describe("signed tokens by key set", () => {
  const JWKS_URL = "https://keys.example/jwks";
  const good: JWTPayload = { sub: "anna", exp: nowSeconds + 60 };

  async function keySet(): Promise<{ app: TestApp; privateKey: CryptoKey; publicText: string }> {
    const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), kid: "k1", alg: "RS256" };
    const fetchKeys = (): Promise<Response> => Promise.resolve(Response.json({ keys: [jwk] }));
    const app = testApp({ variables: { JWKS_URL }, dependencies: { fetch: fetchKeys } });
    return { app, privateKey, publicText: JSON.stringify(jwk) };
  }

  it("AUTH6 A token with the signature of a key in the key set is accepted, and a token with any other signature is refused", async () => {
    const { app, privateKey } = await keySet();
    const header = { alg: "RS256", kid: "k1" };
    const token = await new SignJWT(good).setProtectedHeader(header).sign(privateKey);
    expect(await ownerBy(app, `Bearer ${token}`)).toBe("anna");
    const other = await generateKeyPair("RS256");
    const forged = await new SignJWT(good).setProtectedHeader(header).sign(other.privateKey);
    expect(await ownerBy(app, `Bearer ${forged}`)).toBe("unauthorized");
    const unknown = await new SignJWT(good).setProtectedHeader({ alg: "RS256", kid: "k2" }).sign(other.privateKey);
    expect(await ownerBy(app, `Bearer ${unknown}`)).toBe("unauthorized");
  });

  it("AUTH6 A public key is not accepted as a shared secret", async () => {
    const { app, publicText } = await keySet();
    const key = new TextEncoder().encode(publicText);
    const token = await new SignJWT(good).setProtectedHeader({ alg: "HS256", kid: "k1" }).sign(key);
    expect(await ownerBy(app, `Bearer ${token}`)).toBe("unauthorized");
  });

  it.each<[string, () => Promise<Response>]>([
    ["out of reach", () => Promise.reject(new TypeError("network"))],
    ["answering an error", () => Promise.resolve(new Response("no", { status: 500 }))],
    ["answering no keys", () => Promise.resolve(new Response("no"))],
  ])(
    "AUTH6 A request with a signed token is answered with the error code unavailable while the key set is %s",
    async (_name, fetchKeys) => {
      const app = testApp({ variables: { JWKS_URL }, dependencies: { fetch: fetchKeys } });
      const { privateKey } = await generateKeyPair("RS256");
      const token = await new SignJWT(good).setProtectedHeader({ alg: "RS256", kid: "k1" }).sign(privateKey);
      expect(await ownerBy(app, `Bearer ${token}`)).toBe("unavailable");
    },
  );

  it("AUTH6 A request for a ticket is refused with auth_not_configured if no secret for tickets is configured", async () => {
    const { app, privateKey } = await keySet();
    const token = await new SignJWT(good).setProtectedHeader({ alg: "RS256", kid: "k1" }).sign(privateKey);
    const path = `/api/threads/${crypto.randomUUID()}/stream`;
    const response = await app.ask("/api/tickets", { method: "POST", token, json: { path } });
    expect(await refusalOf(response)).toMatchObject({ status: 503, code: "auth_not_configured" });
  });
});
