// Serves the Worker's internal requests to a thread's object that carry a socket or a body and therefore use `fetch`.

import { refuse } from "#contract/error.ts";
import { searchMessagesSchema } from "#contract/search-route.ts";
import {
  callerHeader,
  endpointPath,
  exportPath,
  filesPath,
  importPath,
  messageSearchPath,
  subscribePath,
} from "#core/thread-rpc.ts";
import type { Caller } from "#core/thread-rpc.ts";

import type { Importer } from "../archive/importer.ts";
import { parseCaller } from "../caller.ts";
import type { ObjectContext } from "../object-context.ts";
import type { OpenThread } from "../open-thread.ts";
import { subscribe } from "../reader/subscribe.ts";
import type { StreamLeases } from "../stream-leases.ts";
import type { World } from "../world.ts";
import { callEndpoint } from "./endpoint-call.ts";
import { fileJson } from "./file-json.ts";
import { serveFiles } from "./file-request.ts";
import { searchMessages } from "./message-search.ts";
import { exportThread } from "./thread-export.ts";
import { importThread } from "./thread-import.ts";

/** The parts of the object that serve these requests. */
export interface InternalParts {
  world: World;
  state: DurableObjectState;
  importer: Importer;
  leases: StreamLeases;
  /** Returns the thread. Refuses a caller without access to it. */
  owned: (caller: Caller) => OpenThread;
}

/** The response. Throws to refuse. */
export function serveInternal(
  { world, state, importer, leases, owned }: InternalParts,
  incoming: Request,
): Response | Promise<Response> {
  const url = new URL(incoming.url);
  const caller = parseCaller(incoming.headers.get(callerHeader));
  if (url.pathname === importPath) {
    const end = leases.begin(caller);
    return importThread(importer, { caller, clock: world.clock }, incoming).finally(end);
  }
  const open = owned(caller);
  if (url.pathname === exportPath) {
    const { bucket } = world.files;
    return exportThread(open.context, incoming, { bucket, begin: () => leases.begin(caller) });
  }
  if (url.pathname === subscribePath) return subscribe(open.context, { state, url, lease: leases.of(caller) });
  if (url.pathname.startsWith(endpointPath)) return callEndpoint(open.context, incoming, url);
  if (url.pathname.startsWith(filesPath)) return serveFiles(open.context, incoming, url);
  if (url.pathname === messageSearchPath) return findMessages(open.context, incoming, url);
  throw refuse("route_not_found", "The thread has no such route.");
}

async function findMessages(context: ObjectContext, incoming: Request, url: URL): Promise<Response> {
  const query = searchMessagesSchema.parse(Object.fromEntries(url.searchParams));
  return fileJson(await context.searches.search(incoming, (signal) => searchMessages(context, query, signal)));
}
