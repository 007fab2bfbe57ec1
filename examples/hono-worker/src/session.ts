// The shop's sessions: a cookie with a signed token. They do not depend on threads.
import { sign, verify } from "hono/jwt";
import { parse, serialize } from "hono/utils/cookie";

export interface User {
  name: string;
  isOperator: boolean;
}

/** The cookie of a user who has signed in. */
export async function startSession({ name, isOperator }: User, secret: string): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + 86_400;
  const token = await sign({ sub: name, operator: isOperator, exp }, secret, "HS256");
  return serialize("session", token, { httpOnly: true, sameSite: "Lax", path: "/" });
}

/** The user of a request; null without a valid session. */
export async function userOfSession(request: Request, secret: string): Promise<User | null> {
  const { session } = parse(request.headers.get("cookie") ?? "", "session");
  if (session === undefined) return null;
  try {
    const { sub, operator } = await verify(session, secret, "HS256");
    return typeof sub === "string" ? { name: sub, isOperator: operator === true } : null;
  } catch {
    // The token is not signed with this secret, or it has expired.
    return null;
  }
}
