// Sets the MCP servers of the tests' definitions, and calls their tools in threads.

import { expect, inject, onTestFinished, vi } from "vitest";

import type { Message } from "#contract/thread-message.ts";
import type { McpServerDefinition, TestRequest } from "#spec/index.ts";

import { scripts } from "../worker/definitions.ts";
import { mcpServers } from "../worker/mcp.ts";
import { admin, converse, newThread, stubOf, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };

interface ServerRequests {
  lines: string[];
  open: number;
  /** The number of calls whose connections the client closed before the response. */
  cut: number;
  /** The bodies of the requests to a scripted server. */
  bodies: Record<string, unknown>[];
}

/** Sets the server of a prefix. Returns functions that read the requests of the test to this server, and that change the server's state. */
export function setServer(prefix: string, path: string, more: Partial<McpServerDefinition> = {}) {
  const base = inject("mcpServer");
  const scope = crypto.randomUUID();
  mcpServers.set(prefix, {
    url: `${base}/${path}`,
    headers: { "x-scope": scope },
    allowedHosts: [new URL(base).host],
    ...more,
  });
  return {
    requests: async (): Promise<ServerRequests> => (await fetch(`${base}/requests?scope=${scope}`)).json(),
    /** Waits until the server has no open session. */
    idle: async (): Promise<ServerRequests> =>
      expect
        .poll(async (): Promise<ServerRequests> => (await fetch(`${base}/requests?scope=${scope}`)).json(), {
          timeout: 100_000,
        })
        .toMatchObject({ open: 0 })
        .then(async () => (await fetch(`${base}/requests?scope=${scope}`)).json()),
    /** Lets the server answer the calls that it has not answered yet. */
    release: () => fetch(`${base}/release?scope=${scope}`, { method: "POST" }),
    forget: () => fetch(`${base}/forget?scope=${scope}`, { method: "POST" }),
  };
}

/** Runs a turn whose model makes these calls in one step. Returns the calls' messages and the request of the first step. */
export async function callTools(agent: string, calls: { name: string; arguments: object }[]) {
  const id = await newThread(agent);
  const word = `mcp-${crypto.randomUUID()}`;
  const received: TestRequest[] = [];
  scripts.set(word, (request) => {
    received.push(request);
    return request.step === 0 ? { toolCalls: calls as never } : { text: "done" };
  });
  const events = await converse(id, word);
  const { items } = await value(stubOf(id).call("listMessages", admin, page));
  return {
    id,
    events,
    results: items.filter(({ role }) => role === "tool"),
    items,
    request: received[0],
    requests: received,
  };
}

/** The status of a call, and its text. */
export const outcome = ({ result }: Message): [string | undefined, string | undefined] => [
  result?.status,
  result?.error ?? result?.result,
];

/** An event of a stream with a message. */
export const event = (data: string): string => `data: ${data}\n\n`;

/** Calls `count` once on a server that plays a script. */
export async function play(script: object, more: Parameters<typeof setServer>[2] = {}) {
  const path = `scripted?script=${encodeURIComponent(JSON.stringify(script))}`;
  const server = setServer("everything", path, { timeoutMs: 20_000, ...more });
  const called = await callTools("mcp", [{ name: "everything__count", arguments: {} }]);
  const { lines, bodies } = await server.requests();
  const names = called.request?.tools.map(({ name }) => name.replace("everything__", "")) ?? [];
  return { ...called, outcomes: called.results.map(outcome), names, lines, bodies };
}

/** The number of requests whose line has this beginning. */
export const counted = (lines: string[], begin: string): number =>
  lines.filter((line) => line.startsWith(begin)).length;

/** Collects the log lines with an event until the test ends. */
export function logged(name: string): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  const collect = (line: string): void => {
    const fields = JSON.parse(line) as Record<string, unknown>;
    if (fields["event"] === name) lines.push(fields);
  };
  const spies = (["log", "warn", "error"] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation(collect),
  );
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
  return lines;
}
