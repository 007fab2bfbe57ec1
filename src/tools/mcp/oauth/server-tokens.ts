// The access token for one server in one run. It is read from the store once. It is refreshed before it expires, and after the server has
// refused it. Refresh tokens are valid once, so a lease of the store lets one run refresh, and the others use its result.

import { OAuthError, refreshAuthorization } from "@modelcontextprotocol/client";

import type { Authorizations } from "#core/ports/authorization-port.ts";
import type { ToolsContext } from "#core/ports/tool-source-port.ts";
import { AuthorizationRequired } from "#core/rpc/authorization-required.ts";
import { seal, unseal } from "#lib/sealed-text.ts";
import type { SealKeys } from "#lib/sealed-text.ts";
import type { McpOAuth } from "#spec/index.ts";

import { McpServerError } from "../server-error.ts";
import { oauthError, oauthFetch, tokenRequests } from "./oauth-fetch.ts";
import { isAllowedIssuer, sealPlace, usedClient } from "./oauth-options.ts";
import { revoke } from "./revocation.ts";
import { readRecord, readTokens, writeRecord } from "./token-record.ts";
import type { TokenRecord } from "./token-record.ts";

/** Milliseconds between two checks whether another run has refreshed the token, and the maximum number of checks. */
const pauseMs = 250;
const mostPauses = 160;

/**
 * The maximum time of a refresh in milliseconds, with the wait in the queue of requests. It is shorter than the lease: a refresh that was
 * sent after the end of its lease would use a refresh token that another run has used, and the server would end the grant.
 */
const refreshMs = 20_000;

/** The server of the tokens. */
export interface TokenParts {
  name: string;
  /** The key of the tokens in the store. */
  key: string;
  url: URL;
  oauth: McpOAuth;
  allowedHosts: readonly string[];
  keys: SealKeys;
  authorizations: Authorizations;
  context: Pick<ToolsContext, "fetch" | "clock" | "env" | "log" | "signal">;
}

/** A token for a request, and the revision of its row. */
export interface RunToken {
  token: string;
  revision: string;
}

/** A record with the revision of its row. */
interface Current {
  revision: string;
  record: TokenRecord;
}

/** The tokens of one run. */
export class ServerTokens {
  readonly #parts: TokenParts;
  /** What was read or refreshed last. Its promise belongs to one run of one thread. */
  #current: Promise<Current> | undefined;
  /** The refreshes that have begun, by the record that they replace. */
  readonly #renewals = new WeakMap<Current, Promise<Current>>();
  /**
   * The revision whose token the server refused although the token was new. The run does not use this revision again: when a person
   * connects, a row with another revision is stored.
   */
  #refusedRevision: string | undefined;

  constructor(parts: TokenParts) {
    this.#parts = parts;
  }

  /** Returns a token that has not expired. Rejects with `AuthorizationRequired` if there is none. */
  async token(): Promise<RunToken> {
    const current = await this.#once(() => this.#read());
    return runToken(this.#isEnding(current) ? await this.#renewed(current) : current);
  }

  /** Returns another token after the server has refused `refused`. */
  async after(refused: RunToken): Promise<RunToken> {
    const current = await this.#once(() => this.#read());
    return runToken(current.revision === refused.revision ? await this.#renewed(current, refused.token) : current);
  }

  /** The error of a server that refuses a new token. */
  refused({ revision }: RunToken): AuthorizationRequired {
    this.#refusedRevision = revision;
    this.#current = undefined;
    return this.#required();
  }

  /**
   * The calls of a run that need a token at the same time wait for one request. A failure is not cached, because a person may connect
   * meanwhile.
   */
  #once(work: () => Promise<Current>): Promise<Current> {
    if (this.#current !== undefined) return this.#current;
    const begun = work().catch((thrown: unknown) => {
      if (this.#current === begun) this.#current = undefined;
      throw thrown;
    });
    this.#current = begun;
    return begun;
  }

  /** Calls that use the same refused or expired token share one refresh of it. */
  async #renewed(old: Current, refused?: string): Promise<Current> {
    let renewal = this.#renewals.get(old);
    if (renewal === undefined) {
      this.#current = undefined;
      renewal = this.#once(() => this.#refresh(old, refused));
      this.#renewals.set(old, renewal);
    }
    try {
      const renewed = await renewal;
      if (renewed === old) this.#renewals.delete(old);
      return renewed;
    } catch (thrown) {
      this.#renewals.delete(old);
      throw thrown;
    }
  }

  #isEnding({ record: { refresh_at } }: Current): boolean {
    return refresh_at !== null && refresh_at <= this.#parts.context.clock.now();
  }

  #isOver({ record: { expires_at } }: Current): boolean {
    return expires_at !== null && expires_at <= this.#parts.context.clock.now();
  }

  async #read(): Promise<Current> {
    const { name, key, keys, oauth, authorizations, context } = this.#parts;
    const row = await authorizations.store.read(key);
    if (row === null || row.revision === this.#refusedRevision) throw this.#required();
    const record = readRecord(await unseal(keys, row.text, this.#place));
    if (record === null) {
      const cause = "No key of ENCRYPTION_KEY decrypts the stored tokens, or the address of the server has changed.";
      context.log("warning", "mcp_tokens_unreadable", { server: name, cause });
      throw this.#required();
    }
    if (!isAllowedIssuer(oauth, record.server.issuer)) throw this.#required();
    const current = { revision: row.revision, record };
    if (record.refresh_token === null && this.#isOver(current)) throw this.#required();
    authorizations.granted?.(name);
    return current;
  }

  /** Refreshes the token, or returns the one that another run has stored meanwhile. */
  async #refresh(old: Current, refused: string | undefined): Promise<Current> {
    const { name, key, authorizations, context } = this.#parts;
    const { store } = authorizations;
    if (old.record.refresh_token === null) {
      if (refused === undefined && !this.#isOver(old)) return old;
      if (refused !== undefined) await this.#drop(old, "the server refused a token that cannot be refreshed");
      throw this.#required();
    }
    const holder = crypto.randomUUID();
    for (let pauses = 0; pauses < mostPauses; pauses += 1) {
      const lease = await store.lease(key, old.revision, holder);
      if (lease === "granted") return this.#refreshWithLease(old, { holder, refused });
      if (lease === "changed") return this.#read();
      await context.clock.sleep(pauseMs, context.signal ?? new AbortController().signal);
    }
    throw new McpServerError(`The tokens for the MCP server "${name}" are being renewed. Try again later.`);
  }

  async #refreshWithLease(
    old: Current,
    { holder, refused }: { holder: string; refused: string | undefined },
  ): Promise<Current> {
    const { key, authorizations } = this.#parts;
    const { store } = authorizations;
    let record: TokenRecord;
    try {
      record = await this.#request(old.record);
    } catch (thrown) {
      const code = endOfGrant(thrown, old.record);
      if (code !== null) {
        await this.#drop(old, code);
        throw this.#required();
      }
      await store.release(key, holder);
      // The token may be used until it expires.
      if (refused === undefined && !this.#isOver(old)) return old;
      throw this.#renewalError(thrown);
    }
    return this.#store(old.revision, record);
  }

  async #request(record: TokenRecord): Promise<TokenRecord> {
    const { name, oauth, allowedHosts, context } = this.#parts;
    const { server, refresh_token } = record;
    const { env, log } = context;
    const client = usedClient(name, { oauth, env, log }, { client: record.client, issuer: server.issuer });
    if (client === null || refresh_token === null) {
      throw new McpServerError(
        `The tokens of the MCP server "${name}" cannot be renewed: the definition names no client any more. Set \`oauth.clientId\`, or connect again.`,
      );
    }
    const end = new AbortController();
    const problem = `The renewal of the tokens of the MCP server "${name}" took longer than ${refreshMs / 1000} seconds. Try again later.`;
    const disarm = context.clock.after(refreshMs, () => end.abort(new McpServerError(problem)));
    const send = oauthFetch(context.fetch, allowedHosts);
    const refresh = refreshAuthorization(server.issuer, {
      ...tokenRequests(server, (address, init) => send(address, { ...init, signal: end.signal })),
      clientInformation: client,
      refreshToken: refresh_token,
      ...(server.resource === null ? {} : { resource: new URL(server.resource) }),
    });
    const tokens = await refresh.finally(disarm);
    return { ...record, ...readTokens(name, tokens, context.clock.now()) };
  }

  /** Stores new tokens. If the row was changed or deleted meanwhile, that change applies. */
  async #store(expected: string, record: TokenRecord): Promise<Current> {
    const { key, keys, authorizations } = this.#parts;
    const next = { revision: crypto.randomUUID(), text: await seal(keys, writeRecord(record), this.#place) };
    const write = () => authorizations.store.replace(key, expected, next);
    // The server has already exchanged the refresh token, so the result must not be lost by one broken connection.
    const isStored = await write().catch(write);
    if (isStored) return { revision: next.revision, record };
    const row = await authorizations.store.read(key);
    // Without a row, a person has disconnected, so the new tokens are revoked. If another run has stored tokens, nothing is revoked: both
    // are of one grant, so a revocation would end the stored tokens too.
    if (row === null) await revoke(this.#parts, this.#parts.context, record);
    return this.#read();
  }

  /** Deletes tokens that are no longer valid, unless another run has replaced them. */
  async #drop({ revision }: Current, cause: string): Promise<void> {
    const { name, key, authorizations, context } = this.#parts;
    context.log("warning", "mcp_tokens_dropped", { server: name, cause });
    await authorizations.store.replace(key, revision, null);
  }

  /** The error of a refresh that does not end the grant. */
  #renewalError(thrown: unknown): McpServerError {
    const error = oauthError(this.#parts.name, "The renewal of the tokens", thrown);
    if (!isClientError(thrown)) return error;
    return new McpServerError(
      `${error.message} Check \`oauth.clientId\` and \`oauth.clientSecret\` of the definition.`,
    );
  }

  get #place(): string[] {
    return sealPlace("tokens", this.#parts.authorizations.owner, this.#parts);
  }

  #required(): AuthorizationRequired {
    const { name, authorizations } = this.#parts;
    authorizations.required?.(name);
    return new AuthorizationRequired(name);
  }
}

function runToken({ revision, record }: Current): RunToken {
  return { token: record.access_token, revision };
}

/**
 * The code of an error by which the server ended the grant; null for another error. A client that the definition names may be refused
 * because of a wrong secret. The tokens are kept in this case, because they can be used again after the correction.
 */
function endOfGrant(thrown: unknown, { client }: TokenRecord): string | null {
  const code = thrown instanceof OAuthError ? thrown.code : null;
  return code === "invalid_grant" || (client !== null && isClientError(thrown)) ? code : null;
}

/** Whether the server refused the client, and not its grant. */
function isClientError(thrown: unknown): boolean {
  return thrown instanceof OAuthError && ["invalid_client", "unauthorized_client"].includes(thrown.code);
}
