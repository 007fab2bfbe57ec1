// Serves the pages of the playground. All pages are one HTML document in the static assets, which chooses its content by the address.
// The Worker serves it, instead of the assets directly, so that the open loopback mode protects it and its security policy is set.

import { refuse } from "#contract/error.ts";

/** Returns a built asset of this deployment; status 404 if there is none. */
export type Assets = (request: Request) => Promise<Response>;

/**
 * The content security policy. Scripts, styles and requests are limited to the deployment; inline scripts and styles, plugins, frames
 * and forms are forbidden. Images may come from elsewhere, because a person may choose to load one; the page asks first.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob: data: https:",
  "media-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** Whether a browser requests a page. Paths under `/api` always belong to the API and to the project's routes. */
export function wantsPage(request: Request, pathname: string): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  if (pathname === "/") return true;
  if (pathname === "/api" || pathname.startsWith("/api/") || pathname.startsWith("/assets/")) return false;
  return request.headers.get("accept")?.includes("text/html") === true;
}

/** Returns the page. It is public: it contains no data, and requests its data with the visitor's token. */
export async function servePage(request: Request, assets: Assets | undefined, prefix: string): Promise<Response> {
  if (assets === undefined) {
    const api = `The API is at ${prefix}/api, and its description at ${prefix}/api/openapi.json.`;
    const reason =
      prefix === ""
        ? "This Worker serves no playground, because it has no static assets with the binding ASSETS."
        : `The playground is not served under a path such as ${prefix}.`;
    throw refuse("route_not_found", `${reason} ${api}`);
  }
  const document = new Request(new URL("/", request.url), { headers: { accept: "text/html" } });
  const answer = await assets(document);
  if (!answer.ok) {
    await answer.body?.cancel();
    throw refuse(
      "route_not_found",
      "The static assets of this Worker contain no page. The playground of the package is the folder node_modules/threadhold/dist/ui; in a clone of Threadhold `npm run build:ui` builds it.",
    );
  }
  return new Response(answer.body, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      // The names of the files that it loads change with each build, so the document itself must not be cached.
      "cache-control": "no-cache",
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
}
