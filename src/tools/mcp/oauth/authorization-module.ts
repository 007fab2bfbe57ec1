// The authorizations of MCP servers, as the routes for them use them: begin and end an authorization flow, read the state, sign out.

import type { AuthorizationModule, AuthorizationResult, AuthorizationContext } from "#core/ports/authorization-port.ts";
import type { AnyMcpServerDefinition } from "#spec/index.ts";

import { McpServerError } from "../server-error.ts";
import { serverAddress } from "../server-values.ts";
import {
  beginAuthorizationFlow,
  completeAuthorizationFlow,
  readPlace,
  recordOf,
  subjectOf,
} from "./authorization-flow.ts";
import { isAllowedIssuer, storeKey } from "./oauth-options.ts";
import { revoke } from "./revocation.ts";

/** The module. The registry lists the definitions of this kind, and the compiler has checked them. */
export const authorization: AuthorizationModule = {
  begin: (definition, context, redirectUri) =>
    resultOf(() => beginAuthorizationFlow(definition as AnyMcpServerDefinition, context, redirectUri)),
  place: readPlace,
  complete: (definition, context, flow) =>
    resultOf(() => completeAuthorizationFlow(definition as AnyMcpServerDefinition, context, flow)),
  isAuthorized: (definition, context) =>
    resultOf(async () => {
      const subject = await subjectOf(definition as AnyMcpServerDefinition, context);
      const record = await recordOf(subject, context);
      // A run does not use the tokens of another issuer than that of the definition.
      if (record === null || !isAllowedIssuer(subject.oauth, record.server.issuer)) return false;
      const { refresh_token, expires_at } = record;
      return refresh_token !== null || expires_at === null || expires_at > context.clock.now();
    }),
  remove: (definition, context) => resultOf(() => removeAuthorization(definition as AnyMcpServerDefinition, context)),
};

/** Converts the errors of definitions and servers to results with their texts. */
async function resultOf<T>(work: () => Promise<T>): Promise<AuthorizationResult<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (thrown) {
    if (thrown instanceof McpServerError) return { ok: false, problem: thrown.message };
    throw thrown;
  }
}

async function removeAuthorization(
  definition: AnyMcpServerDefinition,
  context: AuthorizationContext,
): Promise<boolean> {
  const { store } = context;
  const subject = await subjectOf(definition, context).catch(() => null);
  // Tokens that cannot be decrypted, such as those without a valid ENCRYPTION_KEY, are deleted but not revoked at the server.
  const key = subject?.key ?? (await storeKey(definition, () => serverAddress(definition, context)).catch(() => null));
  // Without an address, the rows of all addresses are deleted: a definition with an error must not keep a person's tokens.
  if (key === null) return store.forget(definition.name);
  const row = await store.read(key);
  const record = subject === null ? null : await recordOf(subject, context);
  // The tokens are deleted before the request, so also if the server does not respond. Authorization flows of the server end with them. A
  // definition with a fixed address has one row. Other rows of its name were stored while a function returned the address, so they are
  // deleted too.
  if (key === definition.name) await store.forget(key);
  else await store.replace(key, null, null);
  if (row === null) return false;
  if (subject !== null && record !== null) await revoke(subject, context, record);
  return true;
}
