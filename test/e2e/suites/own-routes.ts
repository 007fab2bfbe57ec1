// The project's own routes next to the built-in ones.

import { describe, expect, it } from "vitest";

import { codeOf } from "../../support/http-client/api-client.ts";
import type { SuiteServer } from "./suite-server.ts";

export function ownRoutes(use: () => SuiteServer): void {
  describe("own routes", () => {
    it("A controller and a thread endpoint of the project are served, and under /api/~ there are built-ins only", async () => {
      const { api } = use();
      const { id } = await api.createThread();
      await api.say(id, "Hello");
      expect((await api.call("GET", "/api/greeting")).body).toMatchObject({ hello: "world" });
      expect((await api.call("GET", `/api/threads/${id}/summary`)).body).toMatchObject({
        thread_id: id,
        agent: "assistant",
        messages: 2,
      });
      expect((await api.call("GET", `/api/~/threads/${id}`)).body).toMatchObject({ id });
      for (const path of ["/api/~/greeting", `/api/~/threads/${id}/summary`, "/api/nothing"]) {
        const answer = await api.call("GET", path);
        expect([answer.status, codeOf(answer)]).toEqual([404, "route_not_found"]);
      }
      const unknown = await api.call("GET", `/api/threads/${crypto.randomUUID()}/summary`);
      expect([unknown.status, codeOf(unknown)]).toEqual([404, "thread_not_found"]);
    });
  });
}
