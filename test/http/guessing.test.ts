// Guessing of credentials: how long an address has to wait after wrong guesses, and which of its callers do not wait.

import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";

import { annaToken, berndToken, testApp, tokens } from "./support/test-app.ts";
import type { TestApp } from "./support/test-app.ts";

const from = (ip: string): Record<string, string> => ({ "cf-connecting-ip": ip });

async function status({ ask }: TestApp, token: string | null, headers: Record<string, string> = from("1.1.1.1")) {
  return (await ask("/api/agents", { token, headers })).status;
}

/** Five wrong tries, after which the address waits. */
async function guessed(app: TestApp, headers = from("1.1.1.1")): Promise<void> {
  for (let index = 0; index < 5; index++) expect(await status(app, `wrong-${String(index)}`, headers)).toBe(401);
  expect(await status(app, "wrong", headers)).toBe(429);
}

describe("guessing", () => {
  it("AUTH7 An IP address has to wait after a few wrong tokens, longer each time", async () => {
    const app = testApp();
    await guessed(app);
    const waits: string[] = [];
    for (let index = 0; index < 4; index++) {
      const response = await app.ask("/api/agents", { token: "wrong", headers: from("1.1.1.1") });
      expect(response.status).toBe(429);
      const wait = response.headers.get("retry-after") ?? "";
      waits.push(wait);
      app.time.advance(Number(wait) * 1000);
      expect(await status(app, "wrong")).toBe(401);
    }
    expect(waits).toEqual(["1", "2", "4", "8"]);
  });

  it("AUTH7 The right token among a thousand wrong ones is refused like them until the IP address has waited", async () => {
    const app = testApp();
    const guesses = Array.from({ length: 1000 }, (_, index) => (index === 600 ? annaToken : `guess-${String(index)}`));
    const answers = await Promise.all(guesses.map((guess) => status(app, guess)));
    expect(answers.filter((one) => one === 401)).toHaveLength(5);
    expect(answers.filter((one) => one === 429)).toHaveLength(995);
    expect(answers[600]).toBe(429);
    app.time.advance(1000);
    expect(await status(app, annaToken)).toBe(200);
  });

  it("AUTH7 Wrong guesses from an IP address do not delay a user who signed in from that address before, even with a different token of that user", async () => {
    const secret = "a-secret-that-only-the-issuer-knows";
    const app = testApp({ variables: { API_TOKENS: tokens, JWT_SECRET: secret } });
    const signed = (exp: number) =>
      new SignJWT({ sub: "anna", exp }).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(secret));
    const now = Math.floor(app.time.now() / 1e6);
    expect(await status(app, annaToken)).toBe(200);
    await guessed(app);
    expect(await status(app, annaToken)).toBe(200);
    expect(await status(app, await signed(now + 60))).toBe(200);
    expect(await status(app, berndToken)).toBe(429);
    expect(await status(app, berndToken, from("2.2.2.2"))).toBe(200);
    expect(await status(app, "wrong", from("2.2.2.2"))).toBe(401);
  });

  it("AUTH7 A client that has to wait after wrong guesses does not learn from a ticket or a public route whether a guess is right", async () => {
    const secret = "a-secret-that-only-the-issuer-knows";
    const entry = {
      kind: "controller" as const,
      method: "GET" as const,
      pattern: "/whoami",
      params: [],
      file: "agents/api/open.ts",
      access: "public" as const,
      load: () => Promise.resolve(({ user }: { user?: { id: string | null } }) => user?.id ?? "unknown"),
    };
    const app = testApp({ variables: { API_TOKENS: tokens, JWT_SECRET: secret }, routes: [entry] });
    const who = async () => (await app.ask("/api/whoami", { token: annaToken, headers: from("1.1.1.1") })).text();
    const { id } = app.seed();
    const path = `/api/threads/${id}/stream`;
    const issued = await app.ask("/api/tickets", { method: "POST", json: { path }, headers: from("3.3.3.3") });
    const { ticket } = await issued.json<{ ticket: string }>();
    await guessed(app);
    const expired = await new SignJWT({ sub: "anna", exp: 1 })
      .setProtectedHeader({ alg: "HS256" })
      .sign(new TextEncoder().encode(secret));
    expect(await status(app, expired)).toBe(429);
    expect(await who()).toBe("unknown");
    const headers = { ...from("1.1.1.1"), upgrade: "websocket" };
    expect((await app.ask(`${path}?ticket=${ticket}`, { token: null, headers })).status).toBe(429);
    app.time.advance(1000);
    expect(await who()).toBe("anna");
  });

  it("AUTH7 Wrong credentials at a public route are guesses, although the route is served", async () => {
    const entry = {
      kind: "controller" as const,
      method: "GET" as const,
      pattern: "/open",
      params: [],
      file: "agents/api/open.ts",
      access: "public" as const,
      load: () => Promise.resolve(() => "open"),
    };
    const app = testApp({ routes: [entry] });
    const guess = () => app.ask("/api/open", { token: "wrong", headers: from("1.1.1.1") });
    for (let index = 0; index < 6; index++) expect((await guess()).status).toBe(200);
    expect(await status(app, "wrong")).toBe(429);
  });

  it("AUTH7 An IPv6 network counts as one address", async () => {
    const app = testApp();
    const tries = ["2001:db8::1", "2001:db8::2", "2001:DB8:0:0::9", "2001:db8:0:0:ffff:1:2:3", "2001:0db8::a:b"];
    for (const ip of tries) expect(await status(app, "wrong", from(ip))).toBe(401);
    expect(await status(app, "wrong", from("2001:db8::77"))).toBe(429);
    expect(await status(app, "wrong", from("2001:db8:0:1::1"))).toBe(401);
    expect(await status(app, "wrong", from("::ffff:10.0.0.1"))).toBe(401);
  });

  it.each([
    ["the platform names none", {}, undefined],
    ["a new .dev.vars is used", { OPEN_LOOPBACK: "true" }, undefined],
    ["the server is on this machine", {}, "http://localhost:8787"],
  ])(
    "AUTH7 All callers share one address if %s, and that address never has to wait longer than 8 s",
    async (name, extra, base) => {
      const app = testApp({ variables: { API_TOKENS: tokens, ...extra } });
      let requested = 0;
      const ask = async (token: string) => {
        requested += 1;
        const headers = name.startsWith("the platform") ? {} : from(`1.1.1.${String(requested)}`);
        return app.ask("/api/agents", { token, headers, ...(base === undefined ? {} : { base }) });
      };
      expect((await ask(annaToken)).status).toBe(200);
      for (let index = 0; index < 5; index++) expect((await ask("wrong")).status).toBe(401);
      const waits: number[] = [];
      for (let index = 0; index < 6; index++) {
        expect((await ask(annaToken)).status).toBe(200);
        const refused = await ask(berndToken);
        expect(refused.status).toBe(429);
        waits.push(Number(refused.headers.get("retry-after")));
        app.time.advance((waits.at(-1) ?? 0) * 1000);
        expect((await ask("wrong")).status).toBe(401);
      }
      expect(waits).toEqual([1, 2, 4, 8, 8, 8]);
    },
  );

  it("AUTH7 A request without credentials is not a guess", async () => {
    const app = testApp();
    for (let index = 0; index < 20; index++) expect(await status(app, null)).toBe(401);
  });
});
