// The ports of authorizations: rights that an owner of threads gave this deployment at another server, such as the OAuth tokens for an MCP
// server. The store has one implementation for an owner's object and one for a thread without an owner. It contains sealed texts only.

import type { Log } from "#lib/log-port.ts";

import type { Clock } from "./clock.ts";
import type { OutboundFetch } from "./outbound-fetch.ts";

/** Whose authorizations: those of a user, or those of one thread without an owner. */
export type AuthorizationOwner = { user: string } | { thread: string };

/** The authorization for one server. Every change sets a new revision. */
export interface StoredAuthorization {
  revision: string;
  /** The sealed text. */
  text: string;
}

/** The outcome of a request for the lease of a refresh. `changed`: the row has another revision, or was deleted. */
export type RefreshLease = "granted" | "busy" | "changed";

/** An authorization flow of a person, which has begun: from the address of the authorization request to the exchange of the code. */
export interface StoredAuthorizationFlow {
  id: string;
  /** The server, as for the other methods of the store. */
  server: string;
  /** The digest of the value in the cookie of the browser that began the authorization flow. */
  browser: string;
  /** The sealed text. */
  text: string;
  /** Microseconds since epoch. */
  expires_at: number;
}

/**
 * The authorizations of one owner, by the names of servers. Contract: each method is atomic, also between isolates; `read` writes nothing;
 * a rejection means that the object could not be reached, and that the method may have run.
 */
export interface AuthorizationStore {
  read(server: string): Promise<StoredAuthorization | null>;
  /**
   * Takes the lease of a refresh. While it lasts, no other holder gets it. It ends with a change of the row, with `release`, or after 30
   * seconds, because its holder may have crashed.
   */
  lease(server: string, revision: string, holder: string): Promise<RefreshLease>;
  /** Ends a lease without a change of the row. */
  release(server: string, holder: string): Promise<void>;
  /**
   * Writes the row, or deletes it if `next` is null, but only if its revision is `expected`. If `expected` is null, the revision is not
   * compared. Returns whether the row was written or deleted. A deletion without a comparison also deletes the server's authorization
   * flows, which could store tokens after a person has disconnected.
   */
  replace(server: string, expected: string | null, next: StoredAuthorization | null): Promise<boolean>;
  /**
   * Deletes every row of a definition by its name, also those of single addresses (`name/…`), and its authorization flows. Returns whether
   * there was a row.
   */
  forget(name: string): Promise<boolean>;
  /** Stores an authorization flow. If an owner has too many, the oldest is deleted. */
  begin(flow: StoredAuthorizationFlow): Promise<void>;
  /**
   * Marks an authorization flow as used and returns its text. Null, without a change, if there is none, if it was used before, if it is too
   * old, or if the browser is not the one that began it.
   */
  finish(id: string, browser: string): Promise<string | null>;
  /**
   * Writes the row of a server with the tokens of the used authorization flow `id`. False, without a change, if the flow was deleted after its
   * use, because the person has disconnected. A repeated call changes nothing and returns true.
   */
  complete(server: string, id: string, next: StoredAuthorization): Promise<boolean>;
}

/** What a definition's tools need for authorizations, in a run, a request or a page. */
export interface Authorizations {
  owner: AuthorizationOwner;
  store: AuthorizationStore;
  /** Called when a request needs an authorization that the owner has not given. */
  required?: (server: string) => void;
  /** Called when a valid authorization was read. */
  granted?: (server: string) => void;
}

/** The dependencies of an authorization and of its flow. */
export interface AuthorizationContext {
  fetch: OutboundFetch;
  clock: Clock;
  log: Log;
  env: Readonly<Record<string, unknown>>;
  owner: AuthorizationOwner;
  store: AuthorizationStore;
  userId: string | null;
  threadId: string;
}

export interface BegunAuthorizationFlow {
  /** The address of the authorization request, which the person opens. */
  url: string;
  /** The cookie by which the browser that began the authorization flow is recognised. */
  cookie: { name: string; value: string; seconds: number };
}

/** The authorization response: the query parameters and cookies of the request by which a person returns from the authorization server. */
export interface AuthorizationResponse {
  code?: string | undefined;
  error?: string | undefined;
  iss?: string | undefined;
  /** The value of the request's `Cookie` header. */
  cookies: string;
}

/** The authorization flow that the parameter `state` identifies when the person returns. */
export interface AuthorizationFlowPlace {
  owner: AuthorizationOwner;
  source: string;
  threadId: string;
  id: string;
}

/** The value of a function, or a text for the person about what is wrong. */
export type AuthorizationResult<T> = { ok: true; value: T } | { ok: false; problem: string };

/** The authorizations of a kind of definitions. Contract: rejects only if the store cannot be reached. */
export interface AuthorizationModule {
  /** Begins an authorization flow: discovery, registration, and the parameters of the address. */
  begin(
    definition: unknown,
    context: AuthorizationContext,
    redirectUri: string,
  ): Promise<AuthorizationResult<BegunAuthorizationFlow>>;
  /** Reads the parameter `state`. Null if this deployment did not create it, or if it is too old. */
  place(env: Readonly<Record<string, unknown>>, state: string, now: number): Promise<AuthorizationFlowPlace | null>;
  /** Ends an authorization flow: checks the browser, exchanges the code, and stores the tokens. */
  complete(
    definition: unknown,
    context: AuthorizationContext,
    flow: { place: AuthorizationFlowPlace; answer: AuthorizationResponse },
  ): Promise<AuthorizationResult<null>>;
  /** Whether there is an authorization, as far as it is known without a request to the server. */
  isAuthorized(definition: unknown, context: AuthorizationContext): Promise<AuthorizationResult<boolean>>;
  /** Deletes the authorization, and revokes it at the server if the server can. Returns whether there was one. */
  remove(definition: unknown, context: AuthorizationContext): Promise<AuthorizationResult<boolean>>;
}
