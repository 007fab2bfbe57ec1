// The playground next to a page of the project's own: at any path, with the API under any prefix. The static assets are those of a site whose
// own page answers every address without a file.

import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import type { Environment } from "#worker/bindings.ts";
import { compose } from "#worker/compose.ts";
import type { ThreadholdOptions } from "#worker/threadhold-options.ts";

import { registry } from "../worker/definitions.ts";

const origin = "https://shop.example";
const builtDocument =
  '<!doctype html><meta name="threadhold" data-pages="" data-api="" /><script src="./assets/a-1.js"></script>';

/** The files of a site, by path: its own, and a copy of the playground. */
const site: Record<string, [text: string, type: string]> = {
  "/_threadhold/page.txt": [builtDocument, "text/plain"],
  "/_threadhold/assets/a-1.js": ["export {}", "text/javascript"],
  "/assets/own.js": ["own()", "text/javascript"],
};

/** The playground of the package in place of a site. */
const packaged: typeof site = { "/": [builtDocument, "text/html"], "/assets/a-1.js": ["export {}", "text/javascript"] };

interface Site {
  files?: typeof site;
  variables?: Record<string, unknown>;
}

/** A Worker with these options, and the paths of the assets that it read. */
function worker(options: ThreadholdOptions, { files = site, variables = {} }: Site = {}) {
  const read: string[] = [];
  const assets = {
    fetch(request: Request) {
      const { pathname } = new URL(request.url);
      read.push(pathname);
      const [text, type] = files[pathname] ?? ["<!doctype html>My shop", "text/html"];
      const headers = { "content-type": type, etag: `"${pathname}"`, "cache-control": "public, max-age=0" };
      const isKnown = request.headers.get("if-none-match") === headers.etag;
      return Promise.resolve(new Response(isKnown ? null : text, { status: isKnown ? 304 : 200, headers }));
    },
  };
  const bindings = { ...env, OPEN_LOOPBACK: "", API_TOKENS: "secret=mia", ASSETS: assets, ...variables };
  const { fetch } = compose(registry, options);
  const send = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(
      new Request(`${origin}${path}`, { headers: { accept: "text/html" }, ...init }),
      bindings as unknown as Environment,
      createExecutionContext(),
    );
  return { send, read };
}

/** The paths of the pages and of the API in a served document; null for any other response. */
async function pathsIn(response: Response): Promise<[pages: string, api: string] | null> {
  const found = /<meta name="threadhold" data-pages="([^"]*)" data-api="([^"]*)">/.exec(await response.text());
  return found === null ? null : [found[1] ?? "", found[2] ?? ""];
}

const refusal = async (response: Response): Promise<string> =>
  (await response.json<{ error: { message: string } }>()).error.message;

describe("the playground next to a page of the project's own", () => {
  it.each([
    [{ playground: "/studio" }, "/studio", ""],
    [{ playground: "/studio/" }, "/studio", ""],
    [{ playground: "/a/b" }, "/a/b", ""],
    [{ playground: true }, "/studio", ""],
    [{ prefix: "/agents", playground: true }, "/agents/studio", "/agents"],
    [{ prefix: "/agents", playground: "/studio" }, "/studio", "/agents"],
    [{ prefix: "/agents", playground: "/agents" }, "/agents", "/agents"],
    [{ prefix: "/a/agents", playground: "/a" }, "/a", "/a/agents"],
    [{ prefix: "/agents", playground: "/" }, "", "/agents"],
  ] as const)(
    "PLAY1 With the options %j every page is served below the path, and knows the path of the API",
    async (options, pages, api) => {
      const { send } = worker(options, pages === "" ? { files: packaged } : {});
      for (const path of ["", "/", "/threads/some/trace", "/inbox", "/usage?days=7", "/agents", "/docs"]) {
        if (pages === "" && path === "") continue;
        const response = await send(`${pages}${path}`);
        const { headers } = response;
        const text = await response.clone().text();
        expect([path, response.status, await pathsIn(response)]).toEqual([path, 200, [pages, api]]);
        expect(text).toContain(`<script src="${pages}/assets/a-1.js">`);
        expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
        expect(headers.get("cache-control")).toBe("no-cache");
        expect(headers.get("content-security-policy")).toContain("script-src 'self'");
        expect(headers.get("content-security-policy")).toContain("base-uri 'none'");
      }
      const authorization = "Bearer secret";
      expect((await send(`${api}/api/agents`, { headers: { authorization } })).status).toBe(200);
      expect((await send(`${api}/api/agents`)).status).toBe(401);
      expect((await send(`${api}/api/agents`, { headers: {} })).status).toBe(401);
    },
  );

  it("PLAY1 Below the path no file of the project's own page is served", async () => {
    const { send, read } = worker({ playground: "/studio" });
    for (const name of ["own.js", "a-1.js.map", "..%2Fown.js"])
      expect([name, (await send(`/studio/assets/${name}`, { headers: {} })).status]).toEqual([name, 404]);
    expect(read).not.toContain("/assets/own.js");
  });

  it("PLAY1 Files of the pages are served below the path, with the headers that files with a hash in their name have at the root", async () => {
    const { send } = worker({ prefix: "/agents", playground: "/studio" });
    const response = await send("/studio/assets/a-1.js", { headers: {} });
    expect([response.status, await response.text()]).toEqual([200, "export {}"]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/javascript",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    });
    const again = await send("/studio/assets/a-1.js", {
      headers: { "if-none-match": response.headers.get("etag") ?? "" },
    });
    expect([again.status, await again.text()]).toEqual([304, ""]);
    expect(await (await send("/studio/assets/a-1.js", { method: "HEAD" })).text()).toBe("");
    // The site's own page is the answer of the assets to each of these.
    for (const path of [
      "/studio/assets/none.js",
      "/studio/assets/",
      "/studio/assets/a/b.js",
      "/studio/assets/..%2Fpage.txt",
      "/studio/assets/%2e%2e%2fpage.txt",
    ]) {
      const missing = await send(path);
      expect([path, missing.status]).toEqual([path, 404]);
      await missing.body?.cancel();
    }
    expect((await send("/studio/assets/a-1.js", { method: "POST" })).status).toBe(404);
  });

  it("PLAY1 Paths that only begin like the playground's path, and paths of the API, are no pages", async () => {
    const { send, read } = worker({ prefix: "/agents", playground: "/agents/studio" });
    for (const path of [
      "/agents/studio-2",
      "/agents/studio2/inbox",
      "/agents/STUDIO",
      "/agents/%73tudio",
      "/agents/inbox",
    ]) {
      const message = await refusal(await send(path));
      expect(message).toContain(
        `There is nothing at ${path}. The playground is at /agents/studio/. The API is at /agents/api,`,
      );
    }
    for (const path of ["/studio", "/", "/agentsstudio", "/studio/assets/a-1.js"]) {
      expect(await refusal(await send(path))).toContain(
        `There is nothing at ${path}. Threads are served under /agents.`,
      );
    }
    expect((await send("/agents/api/none")).status).toBe(404);
    expect((await send("/agents/studio/inbox", { method: "POST" })).status).toBe(404);
    expect((await send("/agents/studio/inbox", { headers: { accept: "application/json" } })).status).toBe(404);
    expect(read).toEqual([]);
  });

  it("PLAY2 Without an option and a variable no page is served next to a page of the project's own, and the refusal names both", async () => {
    for (const [options, path] of [
      [{ prefix: "/agents" }, "/agents/"],
      [{ prefix: "/agents" }, "/agents/studio"],
      [{ prefix: "/agents", playground: false }, "/agents/studio"],
      [{ playground: false }, "/"],
    ] as const) {
      const { send, read } = worker(options);
      const response = await send(path);
      const prefix = "prefix" in options ? options.prefix : "";
      expect(response.status).toBe(404);
      expect(await refusal(response)).toBe(
        `There is nothing at ${path}. The playground is not served. The option \`playground\` of \`createThreadhold\`, or the variable PLAYGROUND, sets its path, such as ${prefix}/studio. The API is at ${prefix}/api, and its description at ${prefix}/api/openapi.json.`,
      );
      expect(read).toEqual([]);
    }
    const { send } = worker({});
    const message = await refusal(await send("/inbox"));
    expect(message).toContain("The static assets of this Worker are not the playground.");
    expect(message).toContain("in the option `playground` of `createThreadhold`, or in the variable PLAYGROUND");
  });

  it("PLAY2 The refusal of a page says what is missing: the binding of the assets, or the copy of the playground in them", async () => {
    const unbound = worker({ playground: "/studio" }, { variables: { ASSETS: undefined } });
    expect(await refusal(await unbound.send("/studio"))).toContain("no static assets with the binding ASSETS");
    const uncopied = worker({ playground: "/studio" }, { files: {} });
    expect(await refusal(await uncopied.send("/studio"))).toContain("`npx threadhold build` copies it");
    expect((await uncopied.send("/studio/assets/a-1.js")).status).toBe(404);
  });

  it("PLAY1 A Worker whose static assets are the playground of the package serves it at any path too", async () => {
    const { send } = worker({ prefix: "/agents", playground: true }, { files: packaged });
    expect(await pathsIn(await send("/agents/studio/inbox"))).toEqual(["/agents/studio", "/agents"]);
    expect(await (await send("/agents/studio/assets/a-1.js")).text()).toBe("export {}");
  });

  it("PLAY3 The variable PLAYGROUND chooses the path where the option is not given, and an invalid value serves no page", async () => {
    const at = (value: string, options: ThreadholdOptions = { prefix: "/agents" }) =>
      worker(options, { variables: { PLAYGROUND: value } });
    expect(await pathsIn(await at("true").send("/agents/studio"))).toEqual(["/agents/studio", "/agents"]);
    expect(await pathsIn(await at("true", {}).send("/studio"))).toEqual(["/studio", ""]);
    // A value of the wrangler file may be no text.
    const isOn = worker({ prefix: "/agents" }, { variables: { PLAYGROUND: true } });
    expect(await pathsIn(await isOn.send("/agents/studio"))).toEqual(["/agents/studio", "/agents"]);
    for (const value of [false, 7, { path: "/desk" }]) {
      const { send } = worker({ prefix: "/agents" }, { variables: { PLAYGROUND: value } });
      expect([value, (await send("/agents/studio")).status]).toEqual([value, 404]);
    }
    expect(await pathsIn(await at("/desk/").send("/desk/inbox"))).toEqual(["/desk", "/agents"]);
    expect(await pathsIn(await at("/desk", { prefix: "/agents", playground: "/own" }).send("/own"))).toEqual([
      "/own",
      "/agents",
    ]);
    expect((await at("/desk", { prefix: "/agents", playground: false }).send("/desk")).status).toBe(404);
    for (const value of ["false", "desk", "/a//b", "/../desk", "/desk?x", "/agents/api", "yes"]) {
      const { send, read } = at(value);
      expect([value, (await send("/agents/studio")).status, (await send("/desk")).status]).toEqual([value, 404, 404]);
      expect(read).toEqual([]);
    }
    const root = at("desk", {});
    expect([(await root.send("/")).status, root.read]).toEqual([404, []]);
  });

  it("PLAY3 A path of the playground that is no path, or that belongs to the API, is refused when the Worker is built", () => {
    for (const playground of [
      "studio",
      "",
      "//",
      "/a//b",
      "/..",
      "/a/../b",
      "/.",
      "/a b",
      "/a?b",
      "/a#b",
      "/a%2Fb",
      "/%61",
      "/a\\b",
      "https://shop.example/studio",
      "/ü",
      "/:id",
      "/*",
    ]) {
      expect(() => compose(registry, { playground }), playground).toThrow(
        /of the playground is not a path\. A path is like "\/studio"\./,
      );
    }
    for (const name of ["/api", "/api/", "/api/studio", "/healthz", "/mcp", "/mcp/studio"]) {
      expect(() => compose(registry, { playground: name }), name).toThrow(/belongs to the API/);
      expect(() => compose(registry, { prefix: "/agents", playground: `/agents${name}` }), name).toThrow(
        /belongs to the API/,
      );
      expect(() => compose(registry, { prefix: "/agents", playground: name }), name).not.toThrow();
    }
  });

  it("PLAY1 The address /api/docs leads to the page of the API at the playground's path", async () => {
    for (const [options, expected] of [
      [{ playground: "/studio" }, "/studio/docs"],
      [{ prefix: "/agents", playground: true }, "/agents/studio/docs"],
      [{ prefix: "/a/b", playground: "/studio" }, "/studio/docs"],
      [{ prefix: "/agents", playground: "/agents" }, "/agents/docs"],
      [{ prefix: "/agents", playground: "/" }, "/docs"],
    ] as const) {
      const { send } = worker(options);
      const from = `${"prefix" in options ? options.prefix : ""}/api/docs`;
      const response = await send(from);
      expect([response.status, new URL(response.headers.get("location") ?? "", `${origin}${from}`).pathname]).toEqual([
        308,
        expected,
      ]);
    }
    expect((await worker({ prefix: "/agents" }).send("/agents/api/docs")).status).toBe(404);
  });

  it("PLAY1 In the open loopback mode a page outside of the prefix is refused under a foreign host name", async () => {
    const variables = { OPEN_LOOPBACK: "true", API_TOKENS: undefined };
    const { send } = worker({ prefix: "/agents", playground: "/studio" }, { variables });
    expect((await send("/studio")).status).toBe(503);
    expect((await send("/studio/assets/a-1.js")).status).toBe(503);
  });

  it("PLAY5 Without credentials, pages and files equal those of the package, except for the two inserted paths", async () => {
    const { send } = worker({ prefix: "/agents", playground: "/studio" });
    for (const path of ["", "/", "/threads/some", "/inbox", "/usage", "/definitions", "/agents/parallel", "/docs"]) {
      const text = await (await send(`/studio${path}`)).text();
      const built = text
        .replace('data-pages="/studio" data-api="/agents">', 'data-pages="" data-api="" />')
        .replaceAll('="/studio/', '="./');
      expect([path, built]).toEqual([path, builtDocument]);
    }
    const [text] = site["/_threadhold/assets/a-1.js"] ?? [];
    expect(await (await send("/studio/assets/a-1.js", { headers: {} })).text()).toBe(text);
    // A cookie or a token changes no page.
    const signedIn = await send("/studio/", { headers: { accept: "text/html", authorization: "Bearer secret" } });
    expect(await signedIn.text()).toBe(await (await send("/studio/")).text());
  });

  it("PLAY5 Every list that the pages show, and the description of the API, needs credentials", async () => {
    const { send } = worker({ playground: "/studio" });
    const refused = [
      "agents",
      "models",
      "prompts",
      "tools",
      "hooks",
      "sources",
      "skills",
      "strategies",
      "filters",
      "routes",
    ];
    for (const name of [...refused, "threads", "usage", "caller", "openapi.json", "messages-search?q=a"]) {
      expect([name, (await send(`/api/${name}`, { headers: {} })).status]).toEqual([name, 401]);
    }
  });
});
