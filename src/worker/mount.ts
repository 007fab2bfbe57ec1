// Serves an application under a path of another Worker. The application receives paths without this prefix. The prefix is added to the
// addresses in the headers of its responses.

import { errorAnswer } from "#http/answer/error-answer.ts";
import { pathBelow, readMountPath } from "#lib/mount-path.ts";

/** Answers a request. */
type Fetch<Env> = (request: Request, env: Env, context: ExecutionContext) => Promise<Response>;

/** The prefix without a slash at its end; empty for the root. Throws for a text that is no path. */
export function readPrefix(prefix: string): string {
  const path = readMountPath(prefix);
  if (path === null) throw new TypeError(`The prefix "${prefix}" is not a path. A path is like "/agents".`);
  return path;
}

/** What a mounted application serves. */
export interface Mounted<Env> {
  /** Answers a request below the prefix. Its path has no prefix. */
  fetch: Fetch<Env>;
  /** Answers a request for another path if it is for a page of the playground, which may be elsewhere; null if it is for none. */
  fetchPage: (request: Request, env: Env) => Promise<Response | null>;
}

/** The application under a prefix. A request for another path is answered by a page, or with status 404. */
export function mountAt<Env>(prefix: string, { fetch, fetchPage }: Mounted<Env>): Fetch<Env> {
  if (prefix === "") return fetch;
  return async (request, env, context) => {
    const url = new URL(request.url);
    const path = pathBelow(url.pathname, prefix);
    if (path === null) {
      const page = await fetchPage(request, env);
      if (page !== null) return page;
      const message = `There is nothing at ${url.pathname}. Threads are served under ${prefix}.`;
      return errorAnswer({ code: "route_not_found", message });
    }
    url.pathname = path;
    return addressed(await fetch(new Request(url, request), env, context), { prefix, origin: url.origin });
  };
}

/** The response with the prefix in the addresses of its headers. */
function addressed(response: Response, { prefix, origin }: { prefix: string; origin: string }): Response {
  const location = response.headers.get("location");
  const cookies = response.headers.getSetCookie();
  if (response.status === 101 || (location === null && cookies.length === 0)) return response;
  const answer = new Response(response.body, response);
  const path = location?.startsWith(`${origin}/`) === true ? location.slice(origin.length) : location;
  if (path?.startsWith("/") === true && !path.startsWith("//")) answer.headers.set("location", prefix + path);
  answer.headers.delete("set-cookie");
  for (const cookie of cookies) {
    answer.headers.append("set-cookie", cookie.replace(/;\s*path=\//i, `; Path=${prefix}/`));
  }
  return answer;
}
