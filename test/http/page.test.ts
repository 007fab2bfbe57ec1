// The pages of the playground, as the Worker serves them.

import { describe, expect, it } from "vitest";

import type { TestAppOptions } from "./support/test-app.ts";
import { refusalOf, testApp } from "./support/test-app.ts";

const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

/** The document of the playground as it is built, with its element for paths and with a file. */
const builtDocument = '<!doctype html><meta name="threadhold" data-pages="" data-api="" /><img src="./assets/a.svg">';

/** The document as the Worker serves it. */
const servedDocument = (pages: string, api: string): string =>
  `<!doctype html><meta name="threadhold" data-pages="${pages}" data-api="${api}"><img src="${pages}/assets/a.svg">`;

/** An app whose assets are one document, and which records the requests for it. */
function withPage(options: TestAppOptions = {}) {
  const requested: string[] = [];
  const assets = (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    requested.push(`${request.method} ${pathname} ${request.headers.get("authorization") ?? "nobody"}`);
    if (pathname !== "/") return Promise.resolve(new Response(null, { status: 404 }));
    return Promise.resolve(new Response(builtDocument, { headers: { "content-type": "text/plain", "x-more": "1" } }));
  };
  return { requested, app: testApp({ ...options, dependencies: { assets } }) };
}

describe("the page", () => {
  it("HTTP27 The playground page is served without credentials, with a Content-Security-Policy that allows only the deployment's own scripts", async () => {
    const { app, requested } = withPage({ variables: {} });
    for (const path of ["/", "/threads/some", "/threads/some?q=1"]) {
      const response = await app.ask(path, { token: null, headers: browser });
      const policy = response.headers.get("content-security-policy") ?? "";
      expect([path, response.status, await response.text()]).toEqual([path, 200, servedDocument("", "")]);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("x-more")).toBeNull();
      for (const part of [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "trusted-types 'none'",
      ]) {
        expect(policy.split("; ")).toContain(part);
      }
      expect(policy).not.toMatch(/unsafe|\*/);
    }
    expect(new Set(requested)).toEqual(new Set(["GET / nobody"]));
  });

  it("HTTP27 The playground page is sent only to browsers, and never for a path of the API or of an asset", async () => {
    const { app, requested } = withPage();
    const codeAt = async (path: string, options: Parameters<typeof app.ask>[1]): Promise<string> =>
      (await refusalOf(await app.ask(path, options))).code;
    expect(await codeAt("/threads/some", {})).toBe("route_not_found");
    expect(await codeAt("/threads/some", { method: "POST", headers: browser })).toBe("route_not_found");
    for (const path of ["/api", "/api/nothing", "/api/~/nothing", "/assets/none.js"]) {
      expect([path, await codeAt(path, { headers: browser })]).toEqual([path, "route_not_found"]);
    }
    expect(requested).toEqual(["GET /assets/none.js nobody"]);
    expect((await app.ask("/", { method: "HEAD", headers: browser })).status).toBe(200);
  });

  it("HTTP27 If the playground was not built, or the Worker has no static assets, its page is answered 404 with what to do", async () => {
    const missing = testApp({ dependencies: { assets: () => Promise.resolve(new Response(null, { status: 404 })) } });
    const other = testApp({ dependencies: { assets: () => Promise.resolve(new Response("<h1>My shop</h1>")) } });
    for (const [app, text] of [
      [missing, "node_modules/threadhold/dist/ui; in a clone of Threadhold `npm run build:ui`"],
      [other, "The static assets of this Worker are not the playground."],
      [testApp(), "it has no static assets with the binding ASSETS. The API is at /api,"],
    ] as const) {
      const response = await app.ask("/", { headers: browser });
      expect(response.status).toBe(404);
      expect(await response.text()).toContain(text);
    }
  });

  it("HTTP27 The playground page is refused under a foreign host name in open loopback mode", async () => {
    const { app, requested } = withPage({ variables: { OPEN_LOOPBACK: "true" } });
    const foreign = await app.ask("/", { token: null, headers: browser, base: "http://evil.example" });
    expect(foreign.status).toBe(503);
    expect(requested).toEqual([]);
    expect((await app.ask("/", { token: null, headers: browser, base: "http://localhost:8787" })).status).toBe(200);
  });
});
