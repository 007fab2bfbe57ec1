// The authorizations of definitions with many tools, such as MCP servers with OAuth: finds the definition and the module of its kind.

import { refuse } from "#contract/error.ts";
import type { ThreadholdError } from "#contract/error.ts";
import type {
  AuthorizationModule,
  AuthorizationResult,
  BegunAuthorizationFlow,
  AuthorizationContext,
  AuthorizationResponse,
} from "#core/ports/authorization-port.ts";
import type { DefinedToolsModule } from "#core/ports/tool-source-port.ts";
import { causeOf } from "#lib/log-port.ts";
import type { Log } from "#lib/log-port.ts";
import type { Registry, ToolSourceDefinition } from "#spec/index.ts";

/** A server in a thread. */
export interface AuthorizationSubject {
  server: string;
  threadId: string;
  /** The user of the thread. Null: the thread has an authorization of its own. */
  userId: string | null;
}

export interface AuthorizationParts {
  toolSources: Registry["toolSources"];
  env: Readonly<Record<string, unknown>>;
  /** Microseconds since epoch. */
  now: () => number;
  log: Log;
  /** The context of an authorization flow for the owner of a thread. */
  context: (whose: Pick<AuthorizationContext, "owner" | "userId" | "threadId">) => AuthorizationContext;
  /** Notifies a thread that its owner has connected to a server. */
  notify: (threadId: string, server: string) => Promise<void>;
}

/** Whether the owner of the thread has connected to the server. */
export async function isAuthorized(parts: AuthorizationParts, subject: AuthorizationSubject): Promise<boolean> {
  const { module, definition } = await definitionOf(parts, subject.server);
  return valueOf(await module.isAuthorized(await definition.load(), contextOf(parts, subject)));
}

/** Begins an authorization flow. Refuses with `not_available` if the server cannot be used. */
export async function beginAuthorizationFlow(
  parts: AuthorizationParts,
  subject: AuthorizationSubject,
  redirectUri: string,
): Promise<BegunAuthorizationFlow> {
  const { module, definition } = await definitionOf(parts, subject.server);
  return valueOf(await module.begin(await definition.load(), contextOf(parts, subject), redirectUri));
}

/**
 * Deletes the authorization, and revokes it at the server. If the definition does not exist any more, the server and its client are unknown, so
 * the stored rows are deleted and nothing is revoked.
 */
export async function removeAuthorization(parts: AuthorizationParts, subject: AuthorizationSubject): Promise<void> {
  const found = await findDefinition(parts, subject.server);
  if (found === null) {
    if (await contextOf(parts, subject).store.forget(subject.server)) return;
    throw unknownServer(subject.server);
  }
  const { module, definition } = found;
  valueOf(await module.remove(await definition.load(), contextOf(parts, subject)));
}

const mixedUp = "Another authorization server than the expected one responded. Connect again.";
const unknownState = "This address is not valid, or is too old. Connect again.";

/**
 * Ends an authorization flow with the parameters of the authorization server's redirect. `server` is the definition that the address of the
 * redirect names. Refuses if nothing was authorized.
 */
export async function endAuthorizationFlow(
  parts: AuthorizationParts,
  { server, state, ...answer }: AuthorizationResponse & { server: string; state?: string | undefined },
): Promise<void> {
  const place = state === undefined ? null : await placeOf(parts, state);
  if (place === null) throw refuse("invalid_request", unknownState);
  const { owner, threadId, source } = place;
  // The state belongs to one server and the address to another. This check detects the mix-up even if the server sends no `iss`.
  if (source !== server) throw refuse("invalid_request", mixedUp);
  const userId = "user" in owner ? owner.user : null;
  const { module, definition } = await definitionOf(parts, source);
  const context = contextOf(parts, { server: source, threadId, userId });
  valueOf(await module.complete(await definition.load(), context, { place, answer }));
  // The tokens are stored, so the thread's next run reads them even if this notification fails.
  await parts.notify(threadId, source).catch((thrown: unknown) => {
    parts.log("warning", "authorization_not_shown", { thread_id: threadId, cause: causeOf(thrown) });
  });
}

/** Returns the value. Throws a refusal with the text for the person. */
function valueOf<T>(result: AuthorizationResult<T>): T {
  if (result.ok) return result.value;
  throw refuse("not_available", result.problem);
}

async function placeOf({ toolSources = [], env, now }: AuthorizationParts, state: string) {
  for (const entry of toolSources) {
    const { authorization } = (await entry.load()) as DefinedToolsModule;
    const place = await authorization?.place(env, state, now());
    if (place !== undefined && place !== null) return place;
  }
  return null;
}

function contextOf({ context }: AuthorizationParts, { threadId, userId }: AuthorizationSubject): AuthorizationContext {
  return context({ owner: userId === null ? { thread: threadId } : { user: userId }, userId, threadId });
}

interface FoundDefinition {
  module: AuthorizationModule;
  definition: ToolSourceDefinition;
}

async function definitionOf(parts: AuthorizationParts, name: string): Promise<FoundDefinition> {
  const found = await findDefinition(parts, name);
  if (found === null) throw unknownServer(name);
  return found;
}

async function findDefinition({ toolSources = [] }: AuthorizationParts, name: string): Promise<FoundDefinition | null> {
  for (const entry of toolSources) {
    const definition = entry.definitions.find((each) => each.name === name);
    if (definition === undefined) continue;
    const { authorization: module } = (await entry.load()) as DefinedToolsModule;
    if (module !== undefined) return { module, definition };
  }
  return null;
}

function unknownServer(name: string): ThreadholdError {
  return refuse("source_not_found", `There is no MCP server "${name}".`);
}
