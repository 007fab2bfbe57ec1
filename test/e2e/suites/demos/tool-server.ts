// The demos whose tools come from a server on this machine.

import { describe, expect, it } from "vitest";

import type { SuiteServer } from "../suite-server.ts";

export function toolServer(use: () => SuiteServer): void {
  it("The demo agent librarian finds a book and reserves it with the tools of its MCP server", async () => {
    const { api } = use();
    const { id } = await api.createThread("librarian");
    const first = await api.say(id, "Find a book about threads.");
    expect(first.run.text).toBe('"The Long Thread" is reserved until Friday. It waits at shelf B2.');
    const second = await api.say(id, "Find a book about stones.");
    expect(second.run.text).toBe("No book was found.");
  });

  it("The demo agent storekeeper lists the items of its API and orders the item with the smallest stock", async () => {
    const { api } = use();
    const { id } = await api.createThread("storekeeper");
    const { run } = await api.say(id, "Order what is running out.");
    expect(run.text).toBe("I ordered 10 of the item “blanket”. They arrive on Thursday.");
  });
}

/** The last suite that uses the demo server, because it stops the server. */
export function stoppedToolServer(use: () => SuiteServer): void {
  describe("a demo server that is not running", () => {
    it("If the demo server is not running, its demo agents answer with the command that starts it, and the state of its source has the error", async () => {
      const { api, demoServer } = use();
      await demoServer.close();
      for (const agent of ["librarian", "storekeeper"]) {
        const { id } = await api.createThread(agent);
        const { run } = await api.say(id, "Find a book about threads, and order it.");
        expect([agent, run]).toMatchObject([agent, { status: "completed", error: null }]);
        expect(run.text).toContain("`npm run demo:server`");
      }
      const { body } = await api.call("GET", "/api/sources/library");
      expect(body).toMatchObject({ tools: [], error: expect.stringContaining("could not be reached") as string });
    });
  });
}
