// Represents the calls of an authorization store as data, because the store may be in another object and its module is loaded by the first
// call.

import type { AuthorizationStore } from "../ports/authorization-port.ts";

/** A call of the store over RPC. */
export type AuthorizationCall = {
  [M in keyof AuthorizationStore]: [method: M, ...input: Parameters<AuthorizationStore[M]>];
}[keyof AuthorizationStore];

/** Creates a client for the store of another object. `send` sends the calls. */
export function remoteAuthorizations(send: (call: AuthorizationCall) => Promise<unknown>): AuthorizationStore {
  const method =
    <M extends keyof AuthorizationStore>(name: M) =>
    (...input: Parameters<AuthorizationStore[M]>) =>
      send([name, ...input] as unknown as AuthorizationCall) as ReturnType<AuthorizationStore[M]>;
  return {
    read: method("read"),
    lease: method("lease"),
    release: method("release"),
    replace: method("replace"),
    forget: method("forget"),
    begin: method("begin"),
    finish: method("finish"),
    complete: method("complete"),
  };
}
