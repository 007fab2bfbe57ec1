// The demo whose tools read a D1 database and a KV namespace.

import { expect, it } from "vitest";

import type { SuiteServer } from "../suite-server.ts";

export function shop(use: () => SuiteServer): void {
  it("The shop demo finds products in a D1 database and reads a notice of a KV namespace", async () => {
    const { api } = use();
    const { id } = await api.createThread("shopkeeper");
    await api.say(id, "What does the kettle cost?");
    await api.say(id, "When are you open?");
    const messages = await api.messages(id);
    expect(messages.filter(({ role }) => role === "tool").map(({ content }) => content)).toEqual([
      "copper kettle: 89 euros\nsteel kettle: 49 euros",
      "There is no notice about hours. The shop is open from 9 to 17.",
    ]);
  });
}
