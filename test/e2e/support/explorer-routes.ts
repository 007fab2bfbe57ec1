// Addresses at which wrangler's local server offers its explorer: the page, the list of databases, and SQL for the
// catalog and for the thread objects. Wrangler itself requires no credentials for them.

const api = "/cdn-cgi/explorer/api";

/** Method and path of each. */
export const explorerRoutes: readonly (readonly [method: "GET" | "POST", path: string])[] = [
  ["GET", "/cdn-cgi/explorer"],
  ["GET", `${api}/d1/database`],
  ["GET", `${api}/workers/durable_objects/namespaces`],
  ["GET", `${api}/workers/durable_objects/namespaces/threadhold-ThreadObject/objects`],
  ["POST", `${api}/d1/database/00000000-0000-0000-0000-000000000000/raw`],
  ["POST", `${api}/workers/durable_objects/namespaces/threadhold-ThreadObject/query`],
];
