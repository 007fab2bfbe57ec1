// One server in the open loopback mode, with keys for every provider and a local server in their place, for every suite
// that needs no restart. It runs from a copy of the project, so the last suite can edit it.

import { afterAll, beforeAll, describe } from "vitest";

import { startDemoServer } from "../../examples/demo-server.mjs";
import { ApiClient } from "../support/http-client/api-client.ts";
import { startDevServer } from "./dev-server.ts";
import { aiSdk } from "./suites/ai-sdk.ts";
import { attachments, openPictureServer } from "./suites/attachments.ts";
import { badInput } from "./suites/bad-input.ts";
import { demos } from "./suites/demos/demos.ts";
import { stoppedToolServer } from "./suites/demos/tool-server.ts";
import { editing } from "./suites/editing.ts";
import { firstMinute } from "./suites/first-minute.ts";
import { guide } from "./suites/guide.ts";
import { loopbackOnly } from "./suites/loopback-only.ts";
import { oneTranscript } from "./suites/one-transcript.ts";
import { ownRoutes } from "./suites/own-routes.ts";
import { providerSuite } from "./suites/providers.ts";
import { sessions } from "./suites/sessions.ts";
import { steering } from "./suites/steering.ts";
import { stopAndQueue } from "./suites/stop-and-queue.ts";
import type { SuiteServer } from "./suites/suite-server.ts";
import { addFirstAgent } from "./support/first-agent.ts";
import { copyProject } from "./support/project-copy.ts";
import { openProviderDesk } from "./support/provider-desk.ts";
import { providerVariables } from "./support/provider-variables.ts";
import { addSessionAgents } from "./support/session-agents.ts";
import { addWeatherAgents } from "./support/weather-agents.ts";

describe("an open server", () => {
  let suite: SuiteServer | undefined;
  const use = (): SuiteServer => {
    if (suite === undefined) throw new Error("The server did not start");
    return suite;
  };

  beforeAll(async () => {
    const project = copyProject();
    addWeatherAgents(project);
    addFirstAgent(project);
    addSessionAgents(project);
    const desk = await openProviderDesk();
    const pictures = await openPictureServer();
    const demoServer = await startDemoServer(0);
    const variables = [
      ...providerVariables(desk.url),
      "--var",
      `ALLOWED_OUTBOUND_HOSTS:${pictures.host},${new URL(demoServer.url).host}`,
      "--var",
      `DEMO_SERVER_URL:${demoServer.url}`,
    ];
    const began = performance.now();
    const server = await startDevServer(project.state("open"), variables, project.root);
    console.log(`server ready in ${((performance.now() - began) / 1000).toFixed(1)} s`);
    suite = { api: new ApiClient(server.url), server, project, desk, pictures, demoServer };
  });
  afterAll(async () => {
    await suite?.server.stop();
    await suite?.desk.close();
    await suite?.pictures.close();
    await suite?.demoServer.close();
    suite?.project.remove();
  });

  firstMinute(use);
  oneTranscript(use);
  stopAndQueue(use);
  sessions(use);
  aiSdk(use);
  steering(use);
  ownRoutes(use);
  loopbackOnly(use);
  badInput(use);
  providerSuite(use);
  attachments(use);
  demos(use);
  guide(use);
  stoppedToolServer(use);
  editing(use);
});
