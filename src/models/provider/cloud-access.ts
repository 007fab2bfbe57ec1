// How a cloud is reached: the address of an account, and credentials in variables, which create access tokens or sign requests.

import type { AnyModelDefinition } from "#spec/index.ts";

import type * as AccessTokens from "../access-tokens.ts";

/** Reads a variable of the environment; null if it is not set. */
export type ReadVariable = (name: string) => string | null;

/** A variable that is not set, or whose value cannot be used for a reason. */
export interface VariableProblem {
  variable: string;
  reason?: string;
}

/** The address of an account, and its path below an AI Gateway. */
export interface CloudAddress {
  baseUrl: string;
  gatewayPath: string;
}

/** A request for an access token: a form that is posted to the token endpoint. */
export interface TokenRequest {
  url: string;
  form: Readonly<Record<string, string>>;
}

/** The variables of a cloud: its address, and credentials, from which access tokens are created, or which sign requests. */
export interface CloudAccess {
  /** Variables with the parts of the address, such as a region. They are no secrets. */
  place: readonly string[];
  /** Returns the address that the variables give. `apiKey` is null for a request with an access token that is created. */
  address: (read: ReadVariable, model: AnyModelDefinition, apiKey: string | null) => CloudAddress | VariableProblem;
  /** Groups of variables. The variables of one group are enough in place of a key. */
  credentials: readonly (readonly string[])[];
  /** Variables that belong to the credentials if they are set. Absent: none. */
  optional?: readonly string[];
  /** Returns the secrets in the variables of the groups, which are removed from texts. */
  secrets: (read: ReadVariable) => readonly string[];
  /**
   * Creates the request for a token. `now` is in milliseconds since 1970. Throws a RefusedRequest for credentials that cannot be used. Absent:
   * the credentials sign requests (`transport`).
   */
  tokenRequest?: (
    credentials: Credentials,
    at: { host: string | null; now: number },
  ) => TokenRequest | Promise<TokenRequest>;
  /** Loads the code that creates tokens with `tokenRequest`. A program without clouds contains nothing of it. */
  loadTokens?: () => Promise<typeof AccessTokens>;
}

/** The values of a group of variables by their names. */
export type Credentials = Readonly<Record<string, string>>;
