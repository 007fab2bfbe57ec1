// Attachments over the network: posted inline and by address, returned as files of the thread, and sent to each
// provider.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { describe, expect, it } from "vitest";

import { codeOf } from "../../support/http-client/api-client.ts";
import { providers } from "../support/weather-agents.ts";
import type { SuiteServer } from "./suite-server.ts";

/** A white pixel, and the same picture as another server returns it. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+M8AAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

/** A server with a picture, at an address that messages name. */
export interface PictureServer {
  host: string;
  close: () => Promise<void>;
}

/** Starts a server with one picture. */
export async function openPictureServer(): Promise<PictureServer> {
  const server = createServer((request, response) => {
    const found = request.url === "/chart.png";
    response.writeHead(found ? 200 : 404, { "content-type": found ? "image/png" : "text/html" });
    response.end(found ? Buffer.from(pixel, "base64") : "<p>no</p>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    host: `127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function attachments(use: () => SuiteServer): void {
  describe("attachments", () => {
    it.each(providers)(
      "A message with an inline file and a file at a URL stores both as files of the thread, and the model of %s receives them",
      async (provider) => {
        const { api, desk, pictures } = use();
        const { id } = await api.createThread(`weather_${provider}_assistant`);
        const mark = desk.order([{ fixture: "text" }]);
        const files = [
          { name: "../pixel.png", mime_type: "image/png", data: pixel },
          { url: `http://${pictures.host}/chart.png` },
          { name: "notes.txt", mime_type: "text/plain", data: Buffer.from("bring salt").toString("base64") },
        ];
        const { message, run } = await api.say(id, `Look ${mark}`, { attachments: files });
        expect(run.status).toBe("completed");
        expect(message.attachments).toMatchObject([
          { path: "/attachments/pixel.png", mimeType: "image/png", width: 1, height: 1 },
          { path: "/attachments/chart.png", mimeType: "image/png", width: 1, height: 1 },
          { path: "/attachments/notes.txt", mimeType: "text/plain", size: 10 },
        ]);
        const body = JSON.stringify(desk.received(mark)[0]?.body);
        expect(body.split(pixel)).toHaveLength(3);
        expect(body).toContain("bring salt");
        const [log] = await api.logs(id, "&type=llm_request");
        const shown = await api.call("GET", `/api/threads/${id}/logs/${log?.id ?? ""}`);
        expect(shown.text).toContain("/attachments/pixel.png");
        expect(shown.text).not.toContain(pixel.slice(20));
      },
    );

    it("The error for a refused attachment names its field, and the thread stays unchanged", async () => {
      const { api, pictures } = use();
      const { id } = await api.createThread();
      const post = (files: unknown[]) =>
        api.call("POST", `/api/threads/${id}/messages`, { json: { content: "x", attachments: files } });
      const cases: [unknown, RegExp][] = [
        [{ url: `http://${pictures.host}/gone.png` }, /attachments\.0: 127\.0\.0\.1:\d+ answered 404/],
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
}
