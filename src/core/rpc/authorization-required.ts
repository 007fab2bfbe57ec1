// The error of a request that needs an authorization which the owner of the thread has not given, or which has ended.

const errorName = "AuthorizationRequired";

/** A person has to give an authorization before the tools of the definition `server` are available. */
export class AuthorizationRequired extends Error {
  readonly server: string;

  constructor(server: string) {
    super(
      `The MCP server "${server}" requires an authorization (authorization_required). A person has to connect to "${server}", ` +
        "then its tools are available.",
    );
    this.name = errorName;
    this.server = server;
  }
}

/**
 * Whether a thrown value is this error. The module of a definition's tools may be bundled apart from its callers, with a class of its own,
 * so the class is not compared.
 */
export function isAuthorizationRequired(thrown: unknown): thrown is AuthorizationRequired {
  return thrown instanceof Error && thrown.name === errorName;
}
