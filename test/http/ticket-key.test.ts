// The key of tickets, over every combination of the variables from which it may come: a user who knows everything that users can know
// cannot sign a ticket that opens a stream.

import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { describe, expect, it } from "vitest";

import { createTickets } from "#http/auth/ticket.ts";
import type { Variables } from "#http/variables.ts";

import { refusalOf, testApp } from "./support/test-app.ts";
import type { TestApp } from "./support/test-app.ts";

const upgrade = { token: null, headers: { upgrade: "websocket" } };
const keys = await generateKeyPair("RS256", { extractable: true });
const jwk = { ...(await exportJWK(keys.publicKey)), kid: "k1", alg: "RS256" };

const tokenLists = {
  none: undefined,
  "one user's": "s3cret=mallory",
  "several of one user": "s3cret=mallory,other=mallory",
  "an administrator's and a user's": "root,s3cret=mallory",
  "an administrator's": "root",
} as const;
const jwtKeys = {
  none: {},
  "a secret": { JWT_SECRET: "issuer-secret" },
  "a key set": { JWKS_URL: "https://keys.example/jwks" },
} as const;
const ticketSecrets = { none: undefined, set: "ticket-secret" } as const;

interface Configuration {
  variables: Variables;
  /** Whether there is a secret that no user knows. */
  tickets: boolean;
}

function configurations(): [string, Configuration][] {
  const found: [string, Configuration][] = [];
  for (const [list, API_TOKENS] of Object.entries(tokenLists)) {
    for (const [jwt, keyVariables] of Object.entries(jwtKeys)) {
      for (const [own, TICKET_SECRET] of Object.entries(ticketSecrets)) {
        if (API_TOKENS === undefined && jwt === "none") continue;
        const variables = {
          ...(API_TOKENS === undefined ? {} : { API_TOKENS }),
          ...keyVariables,
          ...(TICKET_SECRET === undefined ? {} : { TICKET_SECRET }),
        };
        const tickets = own === "set" || jwt === "a secret" || list.startsWith("an administrator");
        found.push([`tokens: ${list}, JWT keys: ${jwt}, TICKET_SECRET: ${own}`, { variables, tickets }]);
      }
    }
  }
  return found;
}

/** Every text with which a user could sign: the users' secrets and the public values of the configuration, combined. */
function guesses({ API_TOKENS, JWKS_URL }: Variables): string[] {
  const entries = (API_TOKENS ?? "").split(",").filter((entry) => entry.includes("="));
  const secrets = entries.map((entry) => entry.slice(0, entry.lastIndexOf("=")));
  const parts = [...entries, ...secrets, entries.join(","), "", "[]", JWKS_URL ?? "null", JSON.stringify(jwk)];
  const lists = [secrets, entries, [entries.join(",")], []];
  const joined = lists.flatMap((list) => [JSON.stringify(list), list.join("\n"), list.join(","), list.join("")]);
  return [...new Set([...parts, ...joined])];
}

function appOf(variables: Variables): TestApp {
  return testApp({ variables, dependencies: { fetch: () => Promise.resolve(Response.json({ keys: [jwk] })) } });
}

/** A credential of the first kind that the configuration accepts. */
async function credentialOf({ API_TOKENS, JWT_SECRET }: Variables, now: number): Promise<string> {
  const [token] = (API_TOKENS ?? "").split(",").map((entry) => entry.split("=")[0] ?? "");
  if (token !== undefined && token !== "") return token;
  const payload = { sub: "mallory", exp: Math.floor(now / 1e6) + 60 };
  if (JWT_SECRET === undefined) {
    return new SignJWT(payload).setProtectedHeader({ alg: "RS256", kid: "k1" }).sign(keys.privateKey);
  }
  return new SignJWT(payload).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(JWT_SECRET));
}

describe("the key of tickets", () => {
  it.each(configurations())(
    "AUTH14 A forged ticket with a guessed key is refused (%s)",
    async (_name, { variables, tickets }) => {
      for (const guess of guesses(variables)) {
        const app = appOf(variables);
        const { id, object } = app.seed("carol");
        const path = `/api/threads/${id}/stream`;
        const forger = createTickets(() => guess, app.time.now);
        for (const caller of [
          { user: "carol", admin: false },
          { user: null, admin: true },
        ]) {
          const { ticket } = await forger.issue(path, caller);
          expect((await app.ask(`${path}?ticket=${ticket}`, upgrade)).status, guess).toBe(401);
        }
        expect(object.subscribers).toEqual([]);
      }
      const app = appOf(variables);
      const token = await credentialOf(variables, app.time.now());
      const path = `/api/threads/${crypto.randomUUID()}/stream`;
      const response = await app.ask("/api/tickets", { method: "POST", token, json: { path } });
      const health = await (await app.ask("/healthz", { token: null })).text();
      if (tickets) {
        expect(response.status).toBe(200);
        expect(health).not.toContain("TICKET_SECRET");
        expect(app.log).toEqual([]);
        return;
      }
      expect(await response.clone().text()).toContain("TICKET_SECRET");
      expect(await refusalOf(response)).toMatchObject({ status: 503, code: "auth_not_configured" });
      expect(health).toContain("TICKET_SECRET");
      expect(app.log.join("\n")).toContain('"event":"tickets_off","variable":"TICKET_SECRET"');
    },
  );

  it.each<[string, Variables]>([
    ["TICKET_SECRET", { API_TOKENS: "root,s3cret=mallory", TICKET_SECRET: "s3cret" }],
    ["TICKET_SECRET", { API_TOKENS: "root,s3cret=mallory", TICKET_SECRET: " s3cret " }],
    ["JWT_SECRET", { API_TOKENS: "s3cret=mallory", JWT_SECRET: "s3cret" }],
  ])("AUTH14 The API is not served if the value of %s is also an API token", async (name, variables) => {
    const { ask, log } = testApp({ variables });
    const response = await ask("/api/agents", { token: "s3cret" });
    expect(await refusalOf(response)).toMatchObject({ status: 503, code: "auth_not_configured" });
    expect(log.join("\n")).toContain(name);
    expect(log.join("\n")).not.toContain("s3cret");
  });
});
