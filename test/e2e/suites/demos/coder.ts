// The demo that works on the thread's files with the built-in tools.

import { expect, it } from "vitest";

import type { SuiteServer } from "../suite-server.ts";

export function coder(use: () => SuiteServer): void {
  it("The demo agent coder searches, writes and edits a file of its thread, and shows the difference", async () => {
    const { api } = use();
    const { id } = await api.createThread("coder");
    const first = await api.say(id, "Raise the price of coffee.");
    expect(first.run.text).toContain("-coffee 3\n+coffee 4");
    const second = await api.say(id, "Once more.");
    expect(second.run.text).toContain("-coffee 4\n+coffee 5");
    const { text } = await api.call("GET", `/api/threads/${id}/files/prices.txt`);
    expect(text).toBe("tea 2\ncoffee 5\n");
  });
}
