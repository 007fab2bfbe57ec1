// Attachments over the network: posted inline and by address, returned as files of the thread, and sent to each
// provider.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ApiClient, codeOf } from "../support/http-client/api-client.ts";
import { startDevServer, type DevServer } from "./dev-server.ts";
import { copyProject, type ProjectCopy } from "./support/project-copy.ts";
import { openProviderDesk, type ProviderDesk } from "./support/provider-desk.ts";
import { providerVariables } from "./support/provider-variables.ts";
import { addWeatherAgents, providers } from "./support/weather-agents.ts";

/** A white pixel, and the same picture as another server returns it. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+M8AAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

describe("attachments", () => {
  let parts: { project: ProjectCopy; desk: ProviderDesk; server: DevServer; host: string } | undefined;
  const shop = createServer((request, response) => {
    const found = request.url === "/chart.png";
    response.writeHead(found ? 200 : 404, { "content-type": found ? "image/png" : "text/html" });
    response.end(found ? Buffer.from(pixel, "base64") : "<p>no</p>");
  });

  const use = () => {
    if (parts === undefined) throw new Error("The server did not start");
    return { ...parts, api: new ApiClient(parts.server.url) };
  };

  beforeAll(async () => {
    await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
    const host = `127.0.0.1:${(shop.address() as AddressInfo).port}`;
    const project = copyProject();
    addWeatherAgents(project);
    const desk = await openProviderDesk();
    const variables = [...providerVariables(desk.url), "--var", `ALLOWED_OUTBOUND_HOSTS:${host}`];
    const server = await startDevServer(project.state("attachments"), variables, project.root);
    parts = { project, desk, server, host };
  });

  afterAll(async () => {
    await parts?.server.stop();
    await parts?.desk.close();
    parts?.project.remove();
    shop.closeAllConnections();
    await new Promise((resolve) => shop.close(resolve));
  });

  it.each(providers)(
    "A message with an inline file and one at a URL stores both as files of the thread, and %s is sent them",
    async (provider) => {
      const { api, desk, host } = use();
      const { id } = await api.createThread(`weather_${provider}_assistant`);
      const mark = desk.order([{ fixture: "text" }]);
      const attachments = [
        { name: "../pixel.png", mime_type: "image/png", data: pixel },
        { url: `http://${host}/chart.png` },
        { name: "notes.txt", mime_type: "text/plain", data: Buffer.from("bring salt").toString("base64") },
      ];
      const { message, run } = await api.say(id, `Look ${mark}`, { attachments });
      expect(run.status).toBe("completed");
      expect(message.attachments).toMatchObject([
        { path: "/attachments/pixel.png", mimeType: "image/png", width: 1, height: 1 },
        { path: "/attachments/chart.png", mimeType: "image/png", width: 1, height: 1 },
        { path: "/attachments/notes.txt", mimeType: "text/plain", size: 10 },
      ]);
      const body = JSON.stringify(desk.seen(mark)[0]?.body);
      expect(body.split(pixel)).toHaveLength(3);
      expect(body).toContain("bring salt");
      const [log] = await api.logs(id, "&type=llm_request");
      const shown = await api.call("GET", `/api/threads/${id}/logs/${log?.id ?? ""}`);
      expect(shown.text).toContain("/attachments/pixel.png");
      expect(shown.text).not.toContain(pixel.slice(20));
    },
  );

  it("An attachment that is refused is named by its field, and the thread stays unchanged", async () => {
    const { api, host } = use();
    const { id } = await api.createThread();
    const post = (attachments: unknown[]) =>
      api.call("POST", `/api/threads/${id}/messages`, { json: { content: "x", attachments } });
    const cases: [unknown, RegExp][] = [
      [{ url: `http://${host}/gone.png` }, /attachments\.0: 127\.0\.0\.1:\d+ answered 404/],
      [{ url: "https://10.0.0.1/a.png" }, /attachments\.0: 10\.0\.0\.1 lies inside/],
      [{ path: "/gone.png" }, /attachments\.0: this thread has no file \/gone\.png/],
      [{ name: "a", mime_type: "a/b", data: "no!" }, /attachments\.0/],
    ];
    for (const [attachment, words] of cases) {
      const answer = await post([attachment]);
      expect([answer.status, codeOf(answer)]).toEqual([400, "invalid_request"]);
      expect(answer.text).toMatch(words);
    }
    expect(await api.messages(id)).toEqual([]);
  });
});
