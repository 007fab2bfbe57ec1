// An object that makes the platform's calls of a thread's life without the code of threads: about as many statements, transactions, D1 batches,
// alarms, timers, abort signals, background promises and sockets. `npm run bench -- churn` compares what the runtime keeps of both.
//
// The numbers are those of a thread of that bench, with its creation, three turns and a list of its messages: 100 statements, 8.5 transactions,
// 4.5 D1 batches with 9.7 statements, 3.5 alarms set and removed, 14 timers, 12 abort controllers, 17.5 promises of `waitUntil`, 46 URLs and 3.25
// sockets.

import { DurableObject } from "cloudflare:workers";

interface PlainEnvironment {
  CATALOG: D1Database;
}

const tables = 20;
const statementsOfTurn = 26;
const catalogTable =
  "CREATE TABLE IF NOT EXISTS plain_object (id TEXT PRIMARY KEY, body TEXT NOT NULL, at INTEGER NOT NULL)";

export class PlainObject extends DurableObject<PlainEnvironment> {
  constructor(state: DurableObjectState, env: PlainEnvironment) {
    super(state, env);
    for (let table = 0; table < tables; table += 1) {
      state.storage.sql.exec(
        `CREATE TABLE IF NOT EXISTS plain_${table} (id INTEGER PRIMARY KEY, name TEXT, body TEXT NOT NULL)`,
      );
    }
  }

  /** One turn: rows, the catalog, an alarm and timers, as a run of a thread has them. */
  async turn(content: string): Promise<string> {
    const { sql } = this.ctx.storage;
    for (let part = 0; part < 3; part += 1) {
      this.ctx.storage.transactionSync(() => {
        for (let at = 0; at < statementsOfTurn / 6; at += 1) {
          sql.exec(`INSERT INTO plain_${at} (name, body) VALUES (?, ?)`, content, content);
          sql.exec(`SELECT id, body FROM plain_${at} ORDER BY id DESC LIMIT 10`).toArray();
        }
      });
    }
    for (let at = 0; at < 15; at += 1) new URL(`/threads/${at}`, "https://plain.test/");
    await this.ctx.storage.setAlarm(Date.now() + 60_000);
    for (let at = 0; at < 4; at += 1) {
      const ending = new AbortController();
      const timer = setTimeout(() => ending.abort(), 60_000);
      const passed = new Promise<void>((resolve) =>
        ending.signal.addEventListener("abort", () => resolve(), { once: true }),
      );
      this.ctx.waitUntil(Promise.race([passed, Promise.resolve()]));
      clearTimeout(timer);
    }
    await this.#updateCatalog(content);
    await this.ctx.storage.deleteAlarm();
    return content;
  }

  async #updateCatalog(content: string): Promise<void> {
    const id = this.ctx.id.toString();
    const row = "INSERT OR REPLACE INTO plain_object (id, body, at) VALUES (?, ?, ?)";
    const prepare = (text: string) => this.env.CATALOG.prepare(row).bind(id, text, Date.now());
    await this.env.CATALOG.batch([this.env.CATALOG.prepare(catalogTable), prepare(content)]);
    await this.env.CATALOG.batch([prepare(content)]);
  }

  async remove(): Promise<void> {
    await this.env.CATALOG.prepare("DELETE FROM plain_object WHERE id = ?").bind(this.ctx.id.toString()).run();
    await this.ctx.storage.deleteAll();
  }

  /** The socket of a turn. The client receives one message and the end. */
  override fetch(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    server.send("end");
    server.close(1000);
    return new Response(null, { status: 101, webSocket: client });
  }

  override webSocketClose(): void {
    // The object has closed its side already.
  }

  override alarm(): void {
    // Each alarm is deleted before its time.
  }
}

/** Serves the routes of the plain objects: a turn with its socket, and a deletion. */
export async function servePlain(
  request: Request,
  objects: DurableObjectNamespace<PlainObject>,
  name: string,
): Promise<Response> {
  const object = objects.get(objects.idFromName(name));
  if (request.method === "DELETE") {
    await object.remove();
    return new Response(null, { status: 204 });
  }
  const joined = await object.fetch("https://plain.test/", { headers: { upgrade: "websocket" } });
  const socket = joined.webSocket;
  if (socket === null) throw new Error("The plain object has opened no socket.");
  const ended = new Promise<void>((resolve) => socket.addEventListener("close", () => resolve(), { once: true }));
  socket.accept();
  const content = await object.turn(await request.text());
  await ended;
  return Response.json({ content });
}
