// The catalog's database is lost while the threads still exist. One command restores the list of threads.

import { rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";

import { afterAll, describe, expect, it } from "vitest";
import { z } from "zod";

import { localObjectIds } from "../../scripts/lib/object-ids.mjs";
import { runNode } from "../../scripts/lib/run-command.mjs";
import { ApiClient } from "../support/http-client/api-client.ts";
import { type DevServer, startDevServer } from "./dev-server.ts";
import { copyProject } from "./support/project-copy.ts";

const listSchema = z.object({ threads: z.array(z.record(z.string(), z.unknown())) });

describe("a catalog that was lost", () => {
  const project = copyProject();
  const state = project.state("restored");
  let server: DevServer | undefined;

  afterAll(() => server?.stop());

  const list = async () => {
    const { threads } = await new ApiClient(server?.url ?? "").ask(listSchema, "GET", "/api/threads");
    return threads.toSorted((one, other) => String(one["id"]).localeCompare(String(other["id"])));
  };

  it("A single command restores a lost catalog, from a local state folder or from Cloudflare's list of objects", async () => {
    server = await startDevServer(state, [], { root: project.root, storedBundle: true });
    const api = new ApiClient(server.url);
    const ids: string[] = [];
    for (const title of ["one", "two", "three"]) {
      const { id } = await api.createThread("assistant", { title });
      ids.push(id);
      const feed = await api.events(id);
      await api.post(id, "hello");
      await feed.until("run_end");
      feed.close();
    }
    // The catalog is written after the threads.
    const threads = await Promise.all(ids.toSorted().map((id) => api.thread(id)));
    await expect.poll(list).toMatchObject(threads);
    const before = await list();
    await server.stop();

    rmSync(path.join(state, "v3/d1"), { recursive: true });
    server = await startDevServer(state, [], { root: project.root, storedBundle: true });
    expect(await list()).toEqual([]);
    const restore = (args: string[], env: Record<string, string> = {}) =>
      runNode("scripts/restore-catalog.mjs", ["--url", server?.url ?? "", ...args], { quiet: true, env });
    const local = await restore(["--state", state]);
    expect(local.output).toContain("3 threads with 3 runs");
    expect(local.code).toBe(0);
    expect(await list()).toEqual(before);

    const platform = await objectPages([...localObjectIds(state).map((id) => [id]), []]);
    const deployed = await restore(["--account", "an account", "--namespace", "names"], {
      CLOUDFLARE_API_TOKEN: "platform-secret",
      CLOUDFLARE_API_BASE_URL: platform.url,
    });
    platform.close();
    expect(deployed.output).toContain("3 threads with 3 runs; 0 empty objects; 0 failed");
    expect(deployed.code).toBe(0);
    expect(platform.requested).toEqual(
      ["", "1", "2", "3"].map((cursor) => ({
        path: "/accounts/an%20account/workers/durable_objects/namespaces/names/objects",
        cursor,
        authorization: "Bearer platform-secret",
      })),
    );
    expect(await list()).toEqual(before);
  });

  it("The restore command ends with the reason if the server cannot be reached, the folder has no threads, or an option is missing or invalid", async () => {
    const url = server?.url ?? "";
    for (const [args, words, env] of [
      [[], "--url is missing", {}],
      [["--url", url, "--state", path.join(project.root, "none")], "There are no threads in", {}],
      [["--url", url, "--account", "a"], "--account and --namespace belong together", {}],
      [
        ["--url", url, "--account", "a", "--namespace", "b"],
        "CLOUDFLARE_API_TOKEN is not set",
        { CLOUDFLARE_API_TOKEN: "" },
      ],
      [["--url", `${url}/none?`, "--nonsense"], "Usage:", {}],
      [["--url", "http://127.0.0.1:1", "--state", state], "cannot be reached", {}],
    ] as const) {
      const { code, output } = await runNode("scripts/restore-catalog.mjs", [...args], { quiet: true, env });
      expect([args, code, output]).toEqual([args, 1, expect.stringContaining(words)]);
      expect(output).not.toContain("    at ");
    }
  });
});

/** The platform's list of objects as its API returns it, with a cursor for each page. */
async function objectPages(pages: readonly string[][]) {
  const requested: { path: string; cursor: string; authorization: string | undefined }[] = [];
  const listener = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://platform");
    const cursor = url.searchParams.get("cursor") ?? "";
    requested.push({ path: url.pathname, cursor, authorization: request.headers.authorization });
    const at = Number(cursor);
    const result = pages[at]?.map((id) => ({ id, hasStoredData: true })) ?? [];
    const next = at + 1 < pages.length ? String(at + 1) : "";
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ success: true, errors: [], messages: [], result, result_info: { cursor: next } }));
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port } = listener.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requested, close: () => listener.close() };
}
