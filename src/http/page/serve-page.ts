// The pages of the playground. They are one document, built into static assets, which reads from the address what to show. It
// goes through here, not past the Worker, so that the open loopback mode guards it too, and so that its policy is said in one place.

import { refuse } from "#contract/error.ts";

/** Gives a built asset of this deployment; 404 where there is none. */
export type Assets = (request: Request) => Promise<Response>;

/**
 * What the page may do: run, style and show what the deployment serves. No script or style in line, no plugin, no frame, no form
 * sent anywhere. Pictures may come from elsewhere, since a person may ask for one; the page itself asks first.
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

/** Whether a browser asks for a page. Everything under `/api` is the API's and the project's own, whoever asks. */
export function wantsPage(request: Request, pathname: string): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  if (pathname === "/") return true;
  if (pathname === "/api" || pathname.startsWith("/api/") || pathname.startsWith("/assets/")) return false;
  return request.headers.get("accept")?.includes("text/html") === true;
}

/** The page. Public: it holds no data, and what it shows it asks for with the visitor's own token. */
export async function servePage(request: Request, assets: Assets | undefined): Promise<Response> {
  const document = new Request(new URL("/", request.url), { headers: { accept: "text/html" } });
  const answer = await assets?.(document);
  if (answer === undefined || !answer.ok) {
    await answer?.body?.cancel();
    throw refuse(
      "route_not_found",
      "The playground is not built. Run `npm run build:ui`; `npm run dev` does it by itself.",
    );
  }
  return new Response(answer.body, {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      // Names of what it loads change with each build.
      "cache-control": "no-cache",
      "cross-origin-opener-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
  });
}
