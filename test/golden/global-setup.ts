// Reads and writes transcript files for tests, which have no file system inside the Workers runtime. The server listens on the loopback;
// `inject("golden")` gives its address. Only GOLDEN=write lets it change stored files. The transcripts of every run are also written to
// .cache/golden.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { fileURLToPath } from "node:url";

import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Address of the server, and whether this run rewrites the stored files. */
    golden: { url: string; write: boolean };
  }
}

const kept = fileURLToPath(new URL("transcripts/", import.meta.url));
const played = fileURLToPath(new URL("../../.cache/golden/", import.meta.url));
const stored = fileURLToPath(new URL("../fixtures/stored-threads/", import.meta.url));

/** Folders by the first segment of a path. */
const folders: Record<string, string> = { transcripts: kept, played, stored };

let server: Server | undefined;

/** Called by vitest before the first test. */
export async function setup(project: TestProject): Promise<void> {
  const write = process.env["GOLDEN"] === "write";
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
  server = createServer((request, response) => {
    const [folder = "", name = ""] = (request.url ?? "").slice(1).split("/");
    const place = folders[folder] ?? "";
    // File names have no separators, so that a path cannot leave its folder.
    if (place === "" || !/^[a-z0-9.-]*$/.test(name)) return void response.writeHead(404).end();
    if (name === "") return void response.end(JSON.stringify(readdirSync(place)));
    if (request.method === "PUT") {
      // A stored thread is never overwritten: it shows what an earlier release stored.
      const isKept = folder === "stored" && existsSync(place + name);
      if (isKept || (folder !== "played" && !write)) return void response.writeHead(403).end();
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        writeFileSync(place + name, Buffer.concat(pieces));
        response.end();
      });
      return;
    }
    try {
      response.end(readFileSync(place + name));
    } catch {
      response.writeHead(404).end();
    }
  });
  // Without this the server could close an idle connection while a request is on its way, and the test would fail.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  project.provide("golden", { url: `http://127.0.0.1:${String(address.port)}`, write });
}

/** Called by vitest after the last test. */
export function teardown(): void {
  server?.close();
  server?.closeAllConnections();
}
