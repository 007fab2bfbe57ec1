// The requests of the routes of authorizations. Only the user of a thread may connect, because the tokens act for the person who signs in at
// the authorization server. Administrators connect a thread without a user. The callback is a navigation of a browser, so it has no credentials:
// the sealed parameter `state` names the authorization flow, and the cookie proves that the same browser began it. Its page repeats nothing of
// the request.

import { callbackPath } from "#contract/authorization-route.ts";
import { refuse, ThreadholdError } from "#contract/error.ts";
import type { Caller } from "#core/rpc/thread-rpc.ts";

import { emptyAnswer, jsonAnswer } from "../answer/json-answer.ts";
import type { Handlers } from "../route/handler.ts";
import type { Services } from "../services.ts";
import type { AuthorizationRoutes } from "./authorization-handlers.ts";
import { outcomePage } from "./outcome-page.ts";
import type { AuthorizationSubject, FlowCookie } from "./server-authorizations.ts";

/** The functions of the routes. */
export async function authorizationRequests({
  callThread,
  dependencies: { authorizations: load, now, prefix },
  limits,
}: Services): Promise<Pick<Handlers, AuthorizationRoutes>> {
  const authorizations = await load();
  return {
    async getAuthorization({ params, caller }) {
      const isAuthorized = await authorizations.isAuthorized(await subjectOf(params, caller));
      return jsonAnswer({ server: params.server, status: isAuthorized ? "authorized" : "required" });
    },
    async beginAuthorization({ params, caller, url }) {
      const subject = await subjectOf(params, caller);
      assertMayConnect(subject, caller);
      await limits.invoke(caller);
      // Each MCP server has its own redirect address, so that a hostile server cannot receive the code for another one (RFC 9700, mix-up).
      const path = `${prefix}${callbackPath}/${encodeURIComponent(params.server)}`;
      const redirectUri = new URL(path, url.origin).href;
      const { url: address, cookie } = await authorizations.begin(subject, redirectUri);
      const body = { authorization_url: address, expires_at: now() + cookie.seconds * 1_000_000 };
      return jsonAnswer(body, 200, { "set-cookie": flowCookie(cookie, url) });
    },
    async deleteAuthorization({ params, caller }) {
      const subject = await subjectOf(params, caller);
      await limits.change(caller);
      await authorizations.remove(subject);
      return emptyAnswer();
    },
    async completeAuthorization({ request, params: { server }, url, headOnly }) {
      // A HEAD request, such as that of a link preview, must not use up the authorization code.
      if (headOnly) return outcomePage("opened");
      const [state, code, error, iss] = ["state", "code", "error", "iss"].map((name) => single(url, name));
      const cookies = request.headers.get("cookie") ?? "";
      try {
        await authorizations.end({ server, state, code, error, iss, cookies });
        return outcomePage("authorized");
      } catch (thrown) {
        if (thrown instanceof ThreadholdError) return outcomePage({ problem: thrown.message });
        throw thrown;
      }
    },
  };

  async function subjectOf({ id, server }: { id: string; server: string }, caller: Caller) {
    const run = { threadId: id, repeatable: true };
    const { user_id } = await callThread({ ...run, run: (stub) => stub.call("describe", caller) });
    return { server, threadId: id, userId: user_id } satisfies AuthorizationSubject;
  }
}

/** Throws `forbidden` unless the caller is the user of the thread, or an administrator if the thread has no user. */
function assertMayConnect({ userId }: AuthorizationSubject, { user, admin }: Caller): void {
  if (userId === null) {
    if (admin) return;
    throw refuse("forbidden", "Only an administrator can connect a thread without a user.");
  }
  if (userId !== user) {
    throw refuse("forbidden", "Only the user of the thread can connect, because the tokens act for that user.");
  }
}

/** The value of a parameter; undefined if it is absent, or given more than once. */
function single({ searchParams }: URL, name: string): string | undefined {
  const values = searchParams.getAll(name);
  return values.length === 1 ? values[0] : undefined;
}

/** The `Set-Cookie` header for the browser of an authorization flow, which sends the cookie to the callbacks alone. */
function flowCookie({ name, value, seconds }: FlowCookie, url: URL): string {
  const secure = url.protocol === "https:" ? "; Secure" : "";
  return `${name}=${value}; Path=${callbackPath}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`;
}
