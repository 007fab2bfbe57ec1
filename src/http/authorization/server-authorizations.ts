// What the routes of authorizations need of the deployment. The Worker implements it.

/** A server in a thread. */
export interface AuthorizationSubject {
  server: string;
  threadId: string;
  /** The user of the thread. Null: the thread has an authorization of its own. */
  userId: string | null;
}

/** The cookie by which the browser that began an authorization flow is recognised. */
export interface FlowCookie {
  name: string;
  value: string;
  seconds: number;
}

/**
 * The authorizations of MCP servers. Contract: a method that fails rejects with a `ThreadholdError` whose message states what a person can
 * do.
 */
export interface ServerAuthorizations {
  isAuthorized(subject: AuthorizationSubject): Promise<boolean>;
  /** Begins an authorization flow. Returns the address of the authorization request, which the person opens. */
  begin(subject: AuthorizationSubject, redirectUri: string): Promise<{ url: string; cookie: FlowCookie }>;
  remove(subject: AuthorizationSubject): Promise<void>;
  /** Ends an authorization flow with the parameters and the `Cookie` header of the person who returns. Errors repeat nothing of them. */
  end(answer: {
    /** The server that the path of the callback names. */
    server: string;
    state: string | undefined;
    code: string | undefined;
    error: string | undefined;
    iss: string | undefined;
    cookies: string;
  }): Promise<void>;
}
