// Serves the pages of the playground. All pages are one HTML document in the static assets, which chooses its content by the address.
// The Worker serves it, instead of the assets directly, so that the open loopback mode protects it and its security policy is set.
//
// The static assets are the built playground alone, or they are a page of the project's own, and the build has copied the playground
// into a folder there. That folder has the same name in every project, so the build does not depend on the playground's path, which the
// Worker alone knows.

import { refuse } from "#contract/error.ts";
import { pathBelow } from "#lib/mount-path.ts";

/** Returns a built asset of this deployment; status 404 if there is none. */
type Assets = (request: Request) => Promise<Response>;

/** Where pages are, and what they consist of. */
export interface PlaygroundPlace {
  /** The path under which the API is served; empty for the root. */
  prefix: string;
  /** The path of the pages; empty for the root, null if they are not served. */
  playground: string | null;
  /** The static assets. Absent without the binding. */
  assets?: Assets | undefined;
}

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

/** The copied document. Its name keeps `html_handling` of the assets away from it. It is plain text for who opens it as an asset. */
const copiedDocument = "/_threadhold/page.txt";

/** The folders of files that the document loads: of a copied playground, and of assets that are the playground alone. */
const fileFolders = ["/_threadhold/assets", "/assets"];

/** The element of the built document (playground/index.html) that gets the paths of the pages and of the API. */
const pathElement = '<meta name="threadhold" data-pages="" data-api="" />';

/**
 * Answers a request for a page or for a file of the pages; null for every other request. `pathname` contains the prefix of the API. Pages
 * are public: they contain no data, and request their data with the visitor's credentials.
 */
export async function servePage(request: Request, pathname: string, place: PlaygroundPlace): Promise<Response | null> {
  const { prefix, playground } = place;
  if (request.method !== "GET" && request.method !== "HEAD") return null;
  if (pathBelow(pathname, `${prefix}/api`) !== null) return null;
  const below = playground === null ? null : pathBelow(pathname, playground);
  if (below?.startsWith("/assets/") === true) return serveFile(request, below, place);
  const isStart = below === "/" || pathname === `${prefix}/`;
  if (!isStart && request.headers.get("accept")?.includes("text/html") !== true) return null;
  if (below === null && pathBelow(pathname, prefix) === null) return null;
  if (below === null) throw noPage(pathname, place);
  return serveDocument(request, place);
}

async function serveDocument(request: Request, { prefix, playground, assets }: PlaygroundPlace): Promise<Response> {
  if (assets === undefined) {
    const message = `This Worker serves no playground, because it has no static assets with the binding ASSETS. ${apiText(prefix)}`;
    throw refuse("route_not_found", message);
  }
  const from = playground === "" ? ["/"] : [copiedDocument, "/"];
  for (const path of from) {
    const answer = await assets(new Request(new URL(path, request.url), { headers: { accept: "text/html" } }));
    const text = answer.ok ? await answer.text() : (await answer.body?.cancel(), "");
    // A page of the project's own may be the answer to every path.
    if (text.includes(pathElement)) return documentAnswer(text, { prefix, playground: playground ?? "" });
  }
  const message =
    playground === ""
      ? "The static assets of this Worker are not the playground. The playground of the package is the folder node_modules/threadhold/dist/ui; in a clone of Threadhold `npm run build:ui` builds it. Next to a page of its own a Worker serves the playground at the path in the option `playground` of `createThreadhold`, or in the variable PLAYGROUND."
      : "The static assets of this Worker do not contain the playground. `npx threadhold build` copies it into the folder of the assets, after a build that empties this folder, unless PLAYGROUND is `false` in the wrangler file. A deployment lacks the copy too if a line of `.assetsignore` matches _threadhold. In a clone of Threadhold run `npm run build:ui` before.";
  throw refuse("route_not_found", message);
}

function documentAnswer(text: string, { prefix, playground }: { prefix: string; playground: string }): Response {
  // The built document names its files relative to itself, but pages have addresses of any depth.
  const placed = text
    .replaceAll('="./', `="${playground}/`)
    .replace(pathElement, `<meta name="threadhold" data-pages="${playground}" data-api="${prefix}">`);
  return new Response(placed, {
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

/**
 * Serves a file that the document loads, with the headers that playground/public/_headers gives it where the assets answer before the
 * Worker. Null without the file.
 */
async function serveFile(
  request: Request,
  path: string,
  { playground, assets }: PlaygroundPlace,
): Promise<Response | null> {
  const name = /^\/assets\/([\w-][\w.-]*)$/.exec(path)?.[1];
  if (name === undefined || assets === undefined) return null;
  const condition = request.headers.get("if-none-match");
  const headers = condition === null ? {} : { "if-none-match": condition };
  for (const folder of playground === "" ? ["/assets"] : fileFolders) {
    if (folder === "/assets" && playground !== "" && !(await isPlayground(request, assets))) return null;
    const answer = await assets(new Request(new URL(`${folder}/${name}`, request.url), { headers }));
    const type = answer.headers.get("content-type") ?? "";
    // No file of the playground is a page: it is the project's own answer to an address without a file.
    if ((answer.ok && !type.startsWith("text/html")) || answer.status === 304) return fileAnswer(answer);
    await answer.body?.cancel();
  }
  return null;
}

/** Whether the static assets are the playground alone. The files of other assets are the project's own. */
async function isPlayground(request: Request, assets: Assets): Promise<boolean> {
  const answer = await assets(new Request(new URL("/", request.url), { headers: { accept: "text/html" } }));
  if (answer.ok) return (await answer.text()).includes(pathElement);
  await answer.body?.cancel();
  return false;
}

function fileAnswer({ body, status, headers: given }: Response): Response {
  const headers = new Headers({
    "cache-control": "public, max-age=31536000, immutable",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
  });
  for (const name of ["content-type", "etag"]) {
    const value = given.get(name);
    if (value !== null) headers.set(name, value);
  }
  return new Response(body, { status, headers });
}

const apiText = (prefix: string): string =>
  `The API is at ${prefix}/api, and its description at ${prefix}/api/openapi.json.`;

/** The refusal of a browser's request for a page where there is none. */
function noPage(pathname: string, { prefix, playground }: PlaygroundPlace): Error {
  const where =
    playground === null
      ? `The playground is not served. The option \`playground\` of \`createThreadhold\`, or the variable PLAYGROUND, sets its path, such as ${prefix}/studio.`
      : `The playground is at ${playground}/.`;
  return refuse("route_not_found", `There is nothing at ${pathname}. ${where} ${apiText(prefix)}`);
}

/** The address of the API's page from `/api/docs` below the prefix; null if pages are not served. */
export function docsAddress({ prefix, playground }: PlaygroundPlace): string | null {
  if (playground === null) return null;
  if (prefix === "") return `${playground}/docs`;
  // A relative address stays as it is where the prefix is added to addresses.
  return `${"../".repeat(prefix.split("/").length)}${playground.slice(1)}${playground === "" ? "" : "/"}docs`;
}
