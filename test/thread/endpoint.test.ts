// A project's thread endpoints through the whole Worker: its routes, and the real object.

import { exports } from "cloudflare:workers";
import { describe, expect, it, onTestFinished, vi } from "vitest";

import { registry } from "../worker/definitions.ts";
import { newThread } from "./thread-driver.ts";

function get(path: string): Promise<Response> {
  return exports.default.fetch(new Request(`http://localhost${path}`));
}

describe("a thread endpoint", () => {
  it("A thread endpoint is called with the thread's state and the client's request", async () => {
    const id = await newThread("parallel", { initial_messages: [{ role: "user", content: "one" }] });
    const answer = await get(`/api/threads/${id}/seen?x=1`);
    expect(await answer.json()).toEqual({
      thread: id,
      total: 1,
      path: `/api/threads/${id}/seen?x=1`,
      execution: null,
    });
  });

  it("A request to an endpoint of a thread that does not exist is answered with status 404 and the error thread_not_found, and the endpoint is not called", async () => {
    const entry = registry.routes.find(({ file }) => file === "seen");
    if (entry === undefined) throw new Error("There is no such endpoint.");
    const load = vi.spyOn(entry, "load");
    onTestFinished(() => load.mockRestore());
    const answer = await get(`/api/threads/${crypto.randomUUID()}/seen`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: "thread_not_found" } });
    expect(load).not.toHaveBeenCalled();
    await get(`/api/threads/${await newThread("parallel")}/seen`);
    expect(load).toHaveBeenCalledOnce();
  });

  it("If an endpoint throws, the response has status 500 and does not contain the error's message", async () => {
    const id = await newThread("parallel");
    const answer = await get(`/api/threads/${id}/refusing`);
    expect(answer.status).toBe(500);
    const text = await answer.text();
    expect(text).toContain("internal");
    expect(text).not.toContain("the endpoint broke");
  });
});

describe("the list of threads", () => {
  it("The list of threads has a new thread at once, by its tag and by a search for its title in any letter case", async () => {
    const title = `title ${crypto.randomUUID()}`;
    const id = await newThread("parallel", { title, tags: [title] });
    const list = async (query: string) => {
      const { threads } = await (await get(`/api/threads?${query}`)).json<{ threads: { id: string }[] }>();
      return threads.map((thread) => thread.id);
    };
    expect(await list(`tag=${encodeURIComponent(title)}`)).toEqual([id]);
    expect(await list(`q=${encodeURIComponent(title.toUpperCase())}`)).toEqual([id]);
  });
});
