// The project's own routes: a controller that shares a tool's data, endpoints that read a thread, and one that starts a
// run.

import { expect, it } from "vitest";

import type { SuiteServer } from "../suite-server.ts";

export function endpoints(use: () => SuiteServer): void {
  it("The endpoints demo has a controller that returns an object, and one that returns a Response", async () => {
    const { api } = use();
    const found = await api.call("GET", "/api/orders/1042");
    expect([found.status, found.body]).toMatchObject([200, { number: "1042", paid: true, asked_by: null }]);
    const none = await api.call("GET", "/api/orders/7");
    expect([none.status, none.body]).toEqual([404, { error: "There is no order 7." }]);
  });

  it("The endpoints demo returns a transcript as plain text, with the messages of a sub-prompt before the result of its call", async () => {
    const { api } = use();
    const { id } = await api.createThread("reporter");
    await api.say(id, "Write about tools");
    const answer = await api.call("GET", `/api/threads/${id}/transcript`);
    expect(answer.headers.get("content-type")).toContain("text/plain");
    expect(answer.text.split("\n").map((line) => /^ *[^ :]*/.exec(line)?.[0])).toEqual([
      "user",
      "assistant",
      "assistant",
      "  user",
      "  assistant",
      "  search_handbook",
      "  assistant",
      "researcher",
      "assistant",
      "-",
      "",
    ]);
  });

  it("The endpoints demo has a webhook that starts a run in an idle thread, and refuses invalid requests", async () => {
    const { api } = use();
    const { id } = await api.createThread();
    const notes = `/api/threads/${id}/notes`;
    for (const options of [{}, { body: "no" }, { json: { memo: 1 } }, { json: { note: "" } }]) {
      expect([options, (await api.call("POST", notes, options)).status]).toEqual([options, 400]);
    }
    expect(await api.messages(id)).toEqual([]);
    expect((await api.call("POST", notes, { json: { note: "The parcel has come" } })).status).toBe(202);
    const feed = await api.events(id, "after=0&until=idle");
    expect(await feed.untilEnd()).toBe("end");
    expect(feed.ofType("run_end")).toMatchObject([{ status: "completed" }]);
    expect((await api.messages(id)).map(({ role, content }) => [role, content])).toEqual([
      ["assistant", null],
      ["tool", "Kept. This conversation has 1 note(s)."],
      ["assistant", "I will remember that. Kept. This conversation has 1 note(s)."],
    ]);
  });
}
