// Threads under a prefix of an existing Worker, with confusing prefixes and paths: a path outside of the prefix is neither answered by a route
// nor authenticated, and no path under the prefix passes without authentication.

import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import type { Environment } from "#worker/bindings.ts";
import { compose } from "#worker/compose.ts";

import { registry } from "../worker/definitions.ts";

const origin = "https://shop.example";
const variables: Environment = {
  ...(env as unknown as Environment),
  OPEN_LOOPBACK: "",
  TICKET_SECRET: "a secret for tickets",
  LIMIT_ADMISSIONS_PER_MINUTE: "100000",
};

/** The threads under a prefix, and the paths that were authenticated. Each request is that of the user `mia` if it has a session. */
function mounted(prefix: string) {
  const authenticated: string[] = [];
  const { fetch } = compose(registry, {
    prefix,
    authenticate: (request) => {
      authenticated.push(new URL(request.url).pathname);
      return request.headers.has("cookie") ? { user: "mia", role: "user" } : null;
    },
  });
  const send = (path: string, { method = "GET", cookie = "session=mia" }: { method?: string; cookie?: string } = {}) =>
    fetch(
      new Request(`${origin}${path}`, { method, ...(cookie === "" ? {} : { headers: { cookie } }) }),
      variables,
      createExecutionContext(),
    );
  return { send, authenticated };
}

describe("a confusing prefix", () => {
  it.each([
    "//",
    "///",
    "/agents//",
    "//agents",
    "/a//b",
    "/a/../b",
    "/..",
    "/.",
    "/a/.",
    "/./a",
    "/a/b/..",
    "/%61pi",
    "/%2e%2e",
    "/a%2Fb",
    "/agents?x",
    "/agents#x",
    "/agents/?",
    "agents",
    "./agents",
    "https://shop.example/agents",
    "//evil.example/agents",
    "/ü",
    "/аgents",
    "/a b",
    "/a\u0000",
    "/a\n",
    "/a\\b",
    "/(a|b)",
    "/.*",
    "/:id",
    "/*",
    "/a;b",
    "/agents/\u202E",
    " /agents",
    "/agents ",
  ])(
    "MOUNT5 The prefix %j is refused when the Worker is built, because no request could have it or it could be misread",
    (prefix) => {
      expect(() => compose(registry, { prefix })).toThrow(/is not a path\. A path is like "\/agents"\./);
    },
  );

  it.each([
    "/api",
    "/api/",
    "/api/api",
    "/API",
    "/a.b",
    "/a..b",
    "/...",
    "/~me",
    "/a-b/c_d",
    "/v1.0/agents",
    "/index.html",
  ])("MOUNT1 Under the prefix %s only paths below it are served, and nothing else is authenticated", async (prefix) => {
    const { send, authenticated } = mounted(prefix);
    const at = prefix.replace(/\/$/, "");
    expect((await send(`${at}/api/models`)).status).toBe(200);
    expect(authenticated.splice(0)).toEqual(["/api/models"]);
    expect((await send(`${at}/api/models`, { cookie: "" })).status).toBe(401);
    authenticated.length = 0;
    const swapped = at === at.toUpperCase() ? at.toLowerCase() : at.toUpperCase();
    const outside = [
      ...(at.startsWith("/api") ? [] : ["/api/models"]),
      `${at}x/api/models`,
      `${at}%2Fapi/models`,
      `${at}/../api/models`.replace(/^\/api\/\.\./, "/other"),
      `${swapped}/api/models`,
      `/x${at}/api/models`,
      `//${at.slice(1)}/api/models`,
      `/%${at.charCodeAt(1).toString(16)}${at.slice(2)}/api/models`,
    ].filter((path) => !new URL(`${origin}${path}`).pathname.startsWith(`${at}/`) || path.startsWith("//"));
    for (const path of outside) {
      const refused = await send(path);
      expect([path, refused.status]).toEqual([path, 404]);
      expect(await refused.json()).toMatchObject({ error: { code: "route_not_found" } });
    }
    expect(authenticated).toEqual([]);
  });
});

describe("a confusing path", () => {
  const paths = [
    "/agents/agents/api/models",
    "/agents//api/models",
    "/agents/api//models",
    "/agents/%61pi/models",
    "/agents/api/%6dodels",
    "/agents/api%2Fmodels",
    "/agents/api/models/",
    "/agents/API/models",
    "/agents/api/models;a=b",
    "/agents/api/models%00",
    "/agents/./api/models",
    "/agents/x/../api/models",
    "/agents/%2e%2e/api/models",
    "/agents/..%2Fapi/models",
    "/agents\\api\\models",
    "/agents/api/models#/healthz",
    "/agents/healthz/../api/models",
    "/agents/healthz/%2e%2e/api/models",
    "/agents/healthz%2F..%2Fapi/models",
    "/agents//healthz/../api/models",
    "/agents/api/~/~/models",
    "/agents/api/~/api/models",
    "/agents//evil.example/api/models",
    "/agents/@evil.example/api/models",
  ];
  it.each(paths)("OWNAUTH1 Without an identity the path %s is never answered with data", async (path) => {
    const { send } = mounted("/agents");
    for (const method of ["GET", "POST", "DELETE"]) {
      const refused = await send(path, { method, cookie: "" });
      expect([path, method, [401, 404, 405].includes(refused.status)]).toEqual([path, method, true]);
    }
  });

  it.each(paths)(
    "MOUNT1 A path is authenticated by the route that serves it, and the server and the function see the same path: %s",
    async (path) => {
      const { send, authenticated } = mounted("/agents");
      const served = path.includes("/~/") ? "/api/~/models" : "/api/models";
      const answered = await send(path);
      // The path may be encoded differently, but it is the same path.
      if (answered.status === 200) expect(authenticated.map(decodeURIComponent)).toEqual([served]);
      else expect([401, 404, 405]).toContain(answered.status);
      const { pathname } = new URL(path, origin);
      if (!pathname.startsWith("/agents/")) {
        expect(answered.status).toBe(404);
        expect(authenticated).toEqual([]);
      }
    },
  );

  it("MOUNT1 No address in the header of a response leads to another host, whatever the path", async () => {
    const { send } = mounted("/agents");
    for (const path of [...paths, "/agents//evil.example", "/agents///evil.example/%2e%2e", "/agents"]) {
      const location = (await send(path)).headers.get("location");
      if (location === null) continue;
      expect(new URL(location, origin).origin).toBe(origin);
      expect(new URL(location, origin).pathname).toMatch(/^\/agents\//);
    }
  });
});
