// The session with a server that several requests share. The session is opened at the first request, and again after it was lost. Its requests
// belong to one run of a thread, or to one program.

import type { ToolsContext } from "#core/ports/tool-source-port.ts";

import { endsSession, httpStatus, isUnknown, McpServerError, NoSessionInTime, SessionLost } from "./server-error.ts";
import type { ServerSession } from "./server-session.ts";

/** A session and the number of its open requests. */
interface OpenedSession {
  readonly session: Promise<ServerSession>;
  requests: number;
}

/** How a session is opened. */
interface SessionOpening {
  /** The name of the server. */
  name: string;
  /** Opens a session. `onEnd` is called when the session ends without a call of its `close`. */
  open: (onEnd: () => void) => Promise<ServerSession>;
  clock: ToolsContext["clock"];
}

/** A session that is opened when it is needed. */
export class ReopenedSession {
  readonly #opening: SessionOpening;
  /** The session that is open or being opened. Its promise belongs to one run of one thread, or to one program. */
  #opened: OpenedSession | undefined;
  #closed = false;

  constructor(opening: SessionOpening) {
    this.#opening = opening;
  }

  /**
   * Runs a request, and repeats the request once in another session if the server has ended the session, for example by a restart. A
   * request that may not run twice is repeated only if the server's response proves that the request did not run.
   */
  async run<T>(request: (session: ServerSession) => Promise<T>, isRepeatable: boolean): Promise<T> {
    const isOpen = this.#opened !== undefined;
    try {
      return await this.#inSession(request);
    } catch (thrown) {
      const isLost = thrown instanceof SessionLost || (isRepeatable && isUnknown(httpStatus(thrown) ?? 0));
      if (!isOpen || !isLost) throw thrown;
      return this.#inSession(request);
    }
  }

  /** Closes the session. Later requests are refused. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    const session = await this.#opened?.session.catch(() => undefined);
    this.#opened = undefined;
    await session?.close(this.#opening);
  }

  /**
   * Runs a request in the session. Opens the session first if none is open. A session that can no longer be used is closed after its last
   * request.
   */
  async #inSession<T>(request: (session: ServerSession) => Promise<T>): Promise<T> {
    if (this.#closed) {
      const message = `The session with the MCP server "${this.#opening.name}" is closed.`;
      throw new McpServerError(message, { kind: "ConnectionClosed" });
    }
    const opened = (this.#opened ??= this.#open());
    opened.requests += 1;
    try {
      return await request(await this.#sessionOf(opened));
    } catch (thrown) {
      if (endsSession(thrown)) this.#drop(opened);
      throw thrown;
    } finally {
      opened.requests -= 1;
      if (opened.requests === 0 && this.#opened !== opened) {
        void opened.session.then((session) => session.close(this.#opening)).catch(() => undefined);
      }
    }
  }

  /**
   * Returns the session. If opening it fails, the next request opens another one, except if the server did not respond in time: each
   * attempt would take as long again.
   */
  async #sessionOf(opened: OpenedSession): Promise<ServerSession> {
    try {
      return await opened.session;
    } catch (thrown) {
      if (!(thrown instanceof NoSessionInTime)) this.#drop(opened);
      throw thrown;
    }
  }

  #drop(opened: OpenedSession): void {
    if (this.#opened === opened) this.#opened = undefined;
  }

  #open(): OpenedSession {
    const opened: OpenedSession = { session: this.#opening.open(() => this.#drop(opened)), requests: 0 };
    return opened;
  }
}
