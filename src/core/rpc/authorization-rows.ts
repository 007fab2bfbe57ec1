// The authorizations of one owner as keys of an object's storage: one key for each server, and one for each authorization flow of a person
// that has begun. The texts are sealed before they arrive here. Nothing of this is in an export, because exports read tables.

import type {
  AuthorizationStore,
  RefreshLease,
  StoredAuthorization,
  StoredAuthorizationFlow,
} from "../ports/authorization-port.ts";
import type { AuthorizationCall } from "./authorization-call.ts";

/** The synchronous key-value storage of an object. */
export interface KeyStorage {
  get<T>(key: string): T | undefined;
  put<T>(key: string, value: T): void;
  delete(key: string): boolean;
  list<T>(options: { prefix: string }): Iterable<[string, T]>;
}

interface Row extends StoredAuthorization {
  lease?: { holder: string; until: number };
}

const second = 1_000_000;

/** Microseconds after which the lease of a refresh ends. A refresh, including its wait for other requests, takes at most 20 seconds. */
const leaseMicros = 30 * second;

/** The maximum number of an owner's authorization flows that have begun and not ended. A further one deletes the oldest. */
const mostFlows = 10;

const rowPrefix = "authorization/";
/** The prefix of authorization flows. It contains their former name, `visit`, because stored rows have it. */
const flowPrefix = "authorization-visit/";

/** The texts of a flow whose code is being exchanged, and of one whose tokens were stored. No sealed text is like these. */
const [used, completed] = ["", "completed"];

/** The operations of the store, without promises. */
type Operations = {
  [M in keyof AuthorizationStore]: (
    ...input: Parameters<AuthorizationStore[M]>
  ) => Awaited<ReturnType<AuthorizationStore[M]>>;
};

/** Reads and writes the rows. `now` returns microseconds since epoch. */
export class AuthorizationRows implements Operations {
  readonly #storage: KeyStorage;
  readonly #now: () => number;

  constructor(storage: KeyStorage, now: () => number) {
    this.#storage = storage;
    this.#now = now;
  }

  read(server: string): StoredAuthorization | null {
    const row = this.#row(server);
    return row === undefined ? null : { revision: row.revision, text: row.text };
  }

  lease(server: string, revision: string, holder: string): RefreshLease {
    const row = this.#row(server);
    if (row?.revision !== revision) return "changed";
    const now = this.#now();
    if (row.lease !== undefined && row.lease.holder !== holder && row.lease.until > now) return "busy";
    this.#storage.put<Row>(rowPrefix + server, { ...row, lease: { holder, until: now + leaseMicros } });
    return "granted";
  }

  release(server: string, holder: string): void {
    const row = this.#row(server);
    if (row?.lease?.holder !== holder) return;
    const { lease: _, ...free } = row;
    this.#storage.put<Row>(rowPrefix + server, free);
  }

  replace(server: string, expected: string | null, next: StoredAuthorization | null): boolean {
    if (expected !== null && this.#row(server)?.revision !== expected) return false;
    if (next === null && expected === null) this.#deleteFlows((each) => each === server);
    if (next === null) this.#storage.delete(rowPrefix + server);
    else this.#storage.put<Row>(rowPrefix + server, { revision: next.revision, text: next.text });
    return true;
  }

  forget(name: string): boolean {
    const isOfName = (server: string) => server === name || server.startsWith(`${name}/`);
    this.#deleteFlows(isOfName);
    const keys = [...this.#storage.list({ prefix: rowPrefix + name })].map(([key]) => key);
    const deleted = keys.filter((key) => isOfName(key.slice(rowPrefix.length)));
    for (const key of deleted) this.#storage.delete(key);
    return deleted.length > 0;
  }

  begin(flow: StoredAuthorizationFlow): void {
    const open = [...this.#storage.list<StoredAuthorizationFlow>({ prefix: flowPrefix })];
    const isOld = ([, { expires_at }]: [string, StoredAuthorizationFlow]) => expires_at <= this.#now();
    const kept = open
      .filter((entry) => !isOld(entry))
      .toSorted(([, one], [, other]) => one.expires_at - other.expires_at);
    const dropped = [...open.filter(isOld), ...kept.slice(0, Math.max(0, kept.length - mostFlows + 1))];
    for (const [key] of dropped) this.#storage.delete(key);
    this.#storage.put(flowPrefix + flow.id, flow);
  }

  finish(id: string, browser: string): string | null {
    const flow = this.#storage.get<StoredAuthorizationFlow>(flowPrefix + id);
    if (flow === undefined || flow.browser !== browser || flow.expires_at <= this.#now()) return null;
    if (flow.text === used || flow.text === completed) return null;
    this.#storage.put<StoredAuthorizationFlow>(flowPrefix + id, { ...flow, text: used });
    return flow.text;
  }

  complete(server: string, id: string, next: StoredAuthorization): boolean {
    const flow = this.#storage.get<StoredAuthorizationFlow>(flowPrefix + id);
    if (flow?.text === used) {
      this.#storage.put<Row>(rowPrefix + server, { revision: next.revision, text: next.text });
      // The flow remains until it is too old: the call is repeated if its response was lost.
      this.#storage.put<StoredAuthorizationFlow>(flowPrefix + id, { ...flow, text: completed });
    }
    return flow?.text === used || flow?.text === completed;
  }

  /** Runs a call that arrived over RPC. */
  call([method, ...input]: AuthorizationCall): unknown {
    // The compiler does not connect the type of the input with the name of the method. `AuthorizationCall` does.
    return (this[method] as (...given: readonly unknown[]) => unknown).apply(this, input);
  }

  #deleteFlows(isDeleted: (server: string) => boolean): void {
    const flows = [...this.#storage.list<StoredAuthorizationFlow>({ prefix: flowPrefix })];
    for (const [key, flow] of flows) if (isDeleted(flow.server)) this.#storage.delete(key);
  }

  #row(server: string): Row | undefined {
    return this.#storage.get<Row>(rowPrefix + server);
  }
}
