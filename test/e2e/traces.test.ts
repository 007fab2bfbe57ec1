// A real server that exports its traces over HTTP to a collector that this test starts. It has no key of a provider.

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { received } from "../support/collector/received.ts";
import { startCollector } from "../support/collector/server.mjs";
import { ApiClient } from "../support/http-client/api-client.ts";
import type { TestServer } from "../support/record-server.d.mts";
import { type DevServer, startDevServer } from "./dev-server.ts";
import { copyProject } from "./support/project-copy.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const parentId = "00f067aa0ba902b7";

describe("a server with a collector", () => {
  const project = copyProject();
  let collector: TestServer | undefined;
  let server: DevServer | undefined;

  beforeAll(async () => {
    collector = await startCollector();
    const variables = ["--var", `OTEL_EXPORTER_OTLP_ENDPOINT:${collector.url}/ok`, "--var", "OTEL_SERVICE_NAME:shop"];
    server = await startDevServer(project.state("traces"), variables, { root: project.root, storedBundle: true });
  });
  afterAll(async () => {
    await server?.stop();
    await collector?.close();
    project.remove();
  });

  it("The spans of a run reach the collector, in the trace of the request's traceparent", async () => {
    const api = new ApiClient(server?.url ?? "", { traceparent: `00-${traceId}-${parentId}-01` });
    const { id } = await api.createThread();
    await api.say(id, "Hello");
    const { spans } = await received(collector?.url ?? "", "ok", { spans: 3 });
    const run = spans.find(({ parentId: parent }) => parent === parentId);
    expect(run).toMatchObject({
      traceId,
      name: "invoke_agent assistant",
      attributes: { "gen_ai.conversation.id": id, "threadhold.run.status": "completed" },
      resource: { "service.name": "shop" },
    });
    expect(spans.every((span) => span.traceId === traceId)).toBe(true);
    expect(JSON.stringify(spans)).not.toContain("Hello");
  });

  it("A run of a model without an API key fails with an error that names the variable to set, and other requests work", async () => {
    const api = new ApiClient(server?.url ?? "");
    for (const provider of ["openai", "anthropic", "google", "openrouter"]) {
      const { id } = await api.createThread(`${provider}_assistant`);
      const { run } = await api.say(id, "Hello");
      expect(run).toMatchObject({ status: "error", error: { code: "not_configured" } });
      expect(run.error?.message).toContain(`${provider.toUpperCase()}_API_KEY`);
      expect((await api.call("GET", `/api/models/${provider}`)).body).toMatchObject({ ready: false });
      expect((await api.messages(id)).map(({ role }) => role)).toEqual(["user"]);
    }
    const { id } = await api.createThread();
    expect((await api.say(id, "Hello")).run.status).toBe("completed");
  });
});
