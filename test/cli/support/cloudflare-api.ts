// A local server that implements the part of Cloudflare's API that wrangler uses for a deployment. Databases are real: their SQL runs on
// D1 in workerd, and the statements of a query are one transaction. Every request is recorded with what it uploads.

import { createServer, type IncomingMessage } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";

import { accountId, tokenOf } from "./credentials.ts";
import { databaseRoutes } from "./d1-routes.ts";
import { ApiError, type ApiRequest, type Reply, type Route } from "./route.ts";
import { workerRoutes, type Upload } from "./worker-routes.ts";

/** The part of miniflare that the databases need. */
interface Miniflare {
  getD1Database(binding: string): Promise<LocalDatabase>;
  dispose(): Promise<void>;
}

/** A database of D1, as the Worker's binding gives it. */
interface LocalDatabase {
  prepare(sql: string): { all(): Promise<{ results: Record<string, unknown>[] }> };
  batch(statements: unknown[]): Promise<{ results: Record<string, unknown>[]; success: boolean }[]>;
}

/** A Worker of the account. */
export interface StoredWorker {
  secrets: Map<string, string>;
  uploads: Upload[];
  migrationTag: string | undefined;
}

/** A database of the account. */
interface StoredDatabase {
  uuid: string;
  name: string;
  local: LocalDatabase;
}

/** The account's contents. */
export interface Account {
  workers: Map<string, StoredWorker>;
  databases: StoredDatabase[];
  /** The paths of the static assets of each Worker, by its name. */
  assetPaths: Map<string, string[]>;
  /** Creates a database. */
  create(name: string): Promise<StoredDatabase>;
}

/** The running server. */
export interface CloudflareApi extends Account {
  /** The variables that lead wrangler to this server. */
  env: Record<string, string>;
  /** `METHOD path` of each request, in the order of arrival. */
  requests: string[];
  /** Answers a request in place of the routes. If it returns undefined, a route answers. */
  intercept: (request: ApiRequest) => Reply | Promise<Reply> | undefined;
  /** Removes the account's contents, the requests and the interception. */
  reset(): void;
  /** Ends connections and accepts none. */
  stop(): Promise<void>;
}

/** Databases that can be created before the server ends. Names of bindings are fixed when workerd starts. */
const poolSize = 40;

/** Starts the server on a free port. */
export async function startCloudflareApi(): Promise<CloudflareApi> {
  const wrangler = createRequire(createRequire(import.meta.url).resolve("wrangler/package.json"));
  const { Miniflare } = wrangler("miniflare") as { Miniflare: new (options: object) => Miniflare };
  const bindings = Array.from({ length: poolSize }, (_, index) => `DB${String(index)}`);
  const miniflare = new Miniflare({ modules: true, script: "", d1Databases: bindings });
  let created = 0;
  const account: Account = {
    workers: new Map(),
    databases: [],
    assetPaths: new Map(),
    async create(name) {
      const local = await miniflare.getD1Database(`DB${String(created)}`);
      created += 1;
      const database = { uuid: `11111111-2222-4333-8444-${String(created).padStart(12, "0")}`, name, local };
      account.databases.push(database);
      return database;
    },
  };
  const routes = [...databaseRoutes(account), ...workerRoutes(account)];
  const state: Pick<CloudflareApi, "requests" | "intercept"> = { requests: [], intercept: () => undefined };
  const server = createServer((incoming, outgoing) => {
    void answer(incoming).then(({ status, body, type }) => {
      outgoing.writeHead(status, { "content-type": type ?? "application/json" });
      outgoing.end(typeof body === "string" ? body : JSON.stringify(body));
    });
  });

  async function answer(incoming: IncomingMessage): Promise<Reply> {
    const url = new URL(incoming.url ?? "/", "http://localhost");
    const path = url.pathname.replace(`/accounts/${accountId}`, "");
    const request: ApiRequest = { method: incoming.method ?? "GET", path, url, body: await bodyOf(incoming) };
    state.requests.push(`${request.method} ${path}`);
    const intercepted = await state.intercept(request);
    if (intercepted !== undefined) return intercepted;
    try {
      if (incoming.headers.authorization !== `Bearer ${tokenOf()}` && !path.startsWith("/workers/assets/"))
        throw new ApiError(403, 10_000, "Authentication error");
      return { status: 200, body: { success: true, errors: [], messages: [], ...(await reply(routes, request)) } };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return error.reply();
    }
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, account, {
    env: {
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${String(port)}`,
      CLOUDFLARE_API_TOKEN: tokenOf(),
      CLOUDFLARE_ACCOUNT_ID: accountId,
    },
    reset: () => {
      account.workers.clear();
      account.databases.length = 0;
      account.assetPaths.clear();
      state.requests.length = 0;
      state.intercept = () => undefined;
    },
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await miniflare.dispose();
    },
  });
}

async function reply(routes: readonly Route[], request: ApiRequest): Promise<object> {
  for (const { method, pattern, handle } of routes) {
    const matched = method === request.method ? pattern.exec(request.path) : null;
    if (matched !== null) return handle(matched.slice(1), request);
  }
  throw new ApiError(404, 7000, `No route for ${request.method} ${request.path}`);
}

async function bodyOf(incoming: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return new Response(Buffer.concat(chunks), { headers: { "content-type": incoming.headers["content-type"] ?? "" } });
}
