// Files of threads as resources of MCP clients.

import { env } from "cloudflare:workers";
import { beforeAll, expect, it } from "vitest";

import type { Thread } from "#contract/thread.ts";

import type { McpClient } from "../support/mcp-client.ts";
import { api, as, connect, createCatalog, limitedApp, origin, sendRequest, watchedApp } from "./support/mcp-app.ts";

beforeAll(createCatalog);

/** A thread of a user. By default it has the tag `mcp`, so that MCP clients can reach it. */
async function newThread(tags = ["mcp"], who: "anna" | "ben" | "cleo" = "anna"): Promise<string> {
  return (await api<Thread>("POST", "/api/threads", { agent_id: "helper", tags }, who)).id;
}

async function write(
  thread: string,
  path: string,
  body: BodyInit,
  { who = "anna", status = 201 }: { who?: "anna" | "ben" | "cleo"; status?: 200 | 201 } = {},
): Promise<void> {
  const response = await sendRequest(`${origin}/api/threads/${thread}/files/${path}`, {
    method: "PUT",
    headers: { ...as(who), "content-type": path.endsWith(".bin") ? "application/octet-stream" : "text/markdown" },
    body,
  });
  expect(response.status).toBe(status);
}

/** The URIs of all pages. */
async function listAll({ client }: McpClient): Promise<string[]> {
  const uris: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listResources(cursor === undefined ? {} : { cursor });
    uris.push(...page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return uris;
}

const uriOf = (thread: string, path: string): string => `threadhold://threads/${thread}/files/${path}`;
const read = ({ client }: McpClient, uri: string) => client.readResource({ uri });

it("MCPS12 The list of resources contains, over all pages, the files of the caller's threads with the tag mcp", async () => {
  const threads: string[] = [];
  for (let count = 0; count < 12; count += 1) threads.push(await newThread());
  for (const thread of threads) await write(thread, "notes.md", `# ${thread}`);
  const [first = ""] = threads;
  await write(first, "deep/a%20b%3F.txt", "text");
  const [untagged, bens] = [await newThread(["other"]), await newThread(["mcp"], "ben")];
  await write(untagged, "secret.txt", "no");
  await write(bens, "bens.txt", "no", { who: "ben" });
  const mcp = await connect();
  const uris = await listAll(mcp);
  expect(uris).toEqual(
    expect.arrayContaining([...threads.map((id) => uriOf(id, "notes.md")), uriOf(first, "deep/a%20b%3F.txt")]),
  );
  expect(uris.join("\n")).not.toMatch(/secret|bens/);
  const { resourceTemplates } = await mcp.client.listResourceTemplates();
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    "threadhold://threads/{thread_id}/files/{+path}",
  ]);
});

it("LIST2 A page of the list of resources may be empty, and its cursor leads to files of threads that are further on", async () => {
  const thread = await newThread(["mcp"], "cleo");
  await write(thread, "notes.md", "# Notes", { who: "cleo" });
  // More threads than one request reads, newer and without the tag.
  await env.CATALOG.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 7500)
     INSERT INTO thread SELECT 'filler ' || i, 'cleo', 'helper', 'helper', 'idle', NULL, '[]', '', 0, 9000000000000000 + i, 1, '{}' FROM n`,
  ).run();
  const mcp = await connect({ headers: as("cleo") });
  const first = await mcp.client.listResources();
  expect([first.resources, typeof first.nextCursor]).toEqual([[], "string"]);
  expect(await listAll(mcp)).toEqual([uriOf(thread, "notes.md")]);
});

it("MCPS12 A text file is read as text, other bytes as a blob, and the URI of a path with special characters has encoded segments", async () => {
  const thread = await newThread();
  await write(thread, "deep/a%20b%3F.md", "# Größe");
  await write(thread, "bytes.bin", new Uint8Array([0, 255, 1]));
  await write(thread, "broken.md", new Uint8Array([255, 254]));
  const mcp = await connect();
  const text = uriOf(thread, "deep/a%20b%3F.md");
  expect(await read(mcp, text)).toEqual({ contents: [{ uri: text, mimeType: "text/markdown", text: "# Größe" }] });
  const bytes = await read(mcp, uriOf(thread, "bytes.bin"));
  expect(bytes.contents[0]).toMatchObject({ blob: "AP8B" });
  expect((await read(mcp, uriOf(thread, "broken.md"))).contents[0]).toMatchObject({ blob: "//4=" });
});

it("HTTP39 Reads of resources count towards the limit of lists per minute", async () => {
  const thread = await newThread();
  await write(thread, "notes.md", "# Notes");
  const mcp = await connect({ fetch: limitedApp({ LIMIT_LISTS_PER_MINUTE: "1" }) });
  expect((await read(mcp, uriOf(thread, "notes.md"))).contents).toHaveLength(1);
  await expect(read(mcp, uriOf(thread, "notes.md"))).rejects.toThrow("Too many lists");
});

it("MCPS13 A resource that is missing, a folder, too large, malformed, of another user or of a thread without the tag is refused", async () => {
  const [thread, untagged, bens] = [await newThread(), await newThread([]), await newThread(["mcp"], "ben")];
  await write(thread, "folder/a.txt", "a");
  await write(thread, "large.bin", new Uint8Array(4 * 1024 * 1024 + 1));
  await write(untagged, "a.txt", "a");
  await write(bens, "a.txt", "a", { who: "ben" });
  const mcp = await connect();
  const refused: [uri: string, error: RegExp][] = [
    [uriOf(thread, "none.txt"), /file_not_found/],
    [uriOf(thread, "folder"), /is a folder/],
    [uriOf(thread, "large.bin"), /has 4194305 bytes/],
    [uriOf(thread, "..%2F..%2Fx"), /leads out of the thread/],
    [uriOf(thread, "%ff"), /There is no resource/],
    [uriOf(untagged, "a.txt"), /thread_not_found.*tag "mcp"/],
    [uriOf(bens, "a.txt"), /thread_not_found: There is no such thread/],
    [uriOf("none", "a.txt"), /thread_not_found/],
    ["file:///etc/passwd", /There is no resource/],
  ];
  for (const [uri, error] of refused) await expect(read(mcp, uri), uri).rejects.toThrow(error);
  await expect(mcp.client.listResources({ cursor: "nonsense" })).rejects.toThrow(/cursor/i);
});

it("MCPS13 The content of a resource that is too large is not read from its thread, because an isolate could not hold it", async () => {
  const thread = await newThread();
  await write(thread, "small.bin", new Uint8Array(1));
  await write(thread, "large.bin", new Uint8Array(4 * 1024 * 1024 + 1));
  const requests: string[] = [];
  const fetch = watchedApp(
    async (name) => void (name.includes("small") || name.includes("large") ? requests.push(name) : 0),
  );
  const mcp = await connect({ fetch });
  await read(mcp, uriOf(thread, "small.bin"));
  const contentOf = (name: string) => requests.filter((url) => url.includes(name) && !url.includes("stat=true"));
  expect(contentOf("small.bin")).toHaveLength(1);
  await expect(read(mcp, uriOf(thread, "large.bin"))).rejects.toThrow(/has 4194305 bytes/);
  expect(requests.filter((url) => url.includes("large.bin"))).toHaveLength(1);
  expect(contentOf("large.bin")).toEqual([]);
});

it("MCPS13 A resource is refused if it grows over the limit between the check of its size and the read", async () => {
  const thread = await newThread();
  await write(thread, "growing.bin", new Uint8Array(1));
  const large = new Uint8Array(4 * 1024 * 1024 + 1);
  let grown = 0;
  const fetch = watchedApp(async (name) => {
    if (!name.includes("growing.bin") || name.includes("stat=true")) return;
    grown += 1;
    await write(thread, "growing.bin", large, { status: 200 });
  });
  const mcp = await connect({ fetch });
  await expect(read(mcp, uriOf(thread, "growing.bin"))).rejects.toThrow(/has 4194305 bytes/);
  expect(grown).toBe(1);
});
