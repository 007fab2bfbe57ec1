// Sets the API of the tests' definitions, and calls its operations in threads.

import { expect, inject } from "vitest";

import type { ToolsContext } from "#core/ports/tool-source-port.ts";
import { defineOpenApi } from "#spec/index.ts";
import type { OpenApiDefinition } from "#spec/index.ts";
import { openTools } from "#tools/openapi/index.ts";

import { callTools, outcome } from "../../thread/mcp-driver.ts";
import { setDefinition } from "../../worker/openapi.ts";

/** A request, as the API server returns it. */
export interface Echo {
  method: string;
  /** The path below the address of the API, with the query. */
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** A document with these paths. */
export function documentOf(paths: object, more: object = {}): Record<string, unknown> {
  return { openapi: "3.1.0", info: { title: "Test", version: "1" }, ...more, paths };
}

/** The context of tools without a thread. Requests and files are refused, except those of `more`. */
export function contextOf(more: Partial<ToolsContext> = {}): ToolsContext {
  const refuse = () => Promise.reject(new Error("No request was expected."));
  return {
    fetch: refuse,
    files: { read: refuse, stat: refuse },
    clock: { now: () => 0, sleep: refuse, after: () => () => {} },
    env: {},
    log: () => {},
    threadId: "thread",
    userId: null,
    hash: crypto.randomUUID(),
    readSchema: () => () => null,
    checkArguments: () => null,
    ...more,
  };
}

/** The tools of a definition, with the schemas of their arguments. */
export function toolsOf(
  document: OpenApiDefinition["document"],
  more: Partial<OpenApiDefinition> = {},
  context: ToolsContext = contextOf(),
) {
  return openTools(defineOpenApi({ name: "api", document, ...more }), context).tools();
}

/** Sets the API of the prefix `api`: a document of the project, and a server of the tests. */
export function setApi(document: OpenApiDefinition["document"], more: Partial<OpenApiDefinition> = {}) {
  const base = inject("apiServer");
  const scope = crypto.randomUUID();
  const host = new URL(base).host;
  setDefinition("api", { document, baseUrl: `${base}/${scope}/api/`, allowedHosts: [host], ...more });
  return {
    base,
    host,
    scope,
    requests: async (): Promise<string[]> => (await fetch(`${base}/${scope}/requests`)).json(),
    /** Stores the document at an address of the server, and returns the address. */
    publish: async (text: string): Promise<string> => {
      await fetch(`${base}/${scope}/document`, { method: "PUT", body: text });
      return `${base}/${scope}/document`;
    },
    /** Calls operations in one step of a run. Returns each call's status and text. */
    call: async (...calls: [name: string, args: object][]) => {
      const given = calls.map(([name, args]) => ({ name: `api__${name}`, arguments: args }));
      return (await callTools("api", given)).results.map((result) => outcome(result));
    },
    /** Calls an operation of the server that returns its request. */
    async echo(name: string, args: object): Promise<Echo & { head: string; text: string }> {
      const [[status, text = ""] = []] = await this.call([name, args]);
      expect([status, text]).toEqual(["success", expect.stringContaining("\n\n{")]);
      const [head = "", body = ""] = text.split("\n\n");
      const echo = JSON.parse(body) as Echo;
      return {
        ...echo,
        url: echo.url.replace(`/${scope}/api`, ""),
        head: head.replace(`${base}/${scope}/api`, ""),
        text,
      };
    },
  };
}
