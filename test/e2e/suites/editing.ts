// Editing definitions while the server runs: a valid change is served at once; an invalid one is reported and changes
// nothing.

import { readFileSync } from "node:fs";
import path from "node:path";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { deferred } from "#lib/deferred.ts";

import type { ApiClient } from "../../support/http-client/api-client.ts";
import { settledMessages } from "../../support/http-client/transcript.ts";
import type { SuiteServer } from "./suite-server.ts";

const healthSchema = z.object({
  diagnostics: z.array(z.object({ file: z.string(), severity: z.string() })).optional(),
});
const reload = { interval: 50 };

/** The errors that `/healthz` reports; null while the server reloads and does not answer. */
async function errors(api: ApiClient): Promise<string[] | null> {
  try {
    const { diagnostics = [] } = healthSchema.parse((await api.call("GET", "/healthz")).body);
    return diagnostics.filter(({ severity }) => severity === "error").map(({ file }) => file);
  } catch {
    return null;
  }
}

function greeting(api: ApiClient): Promise<string> {
  return api.call("GET", "/api/greeting").then(({ text }) => text, String);
}

export function editing(use: () => SuiteServer): void {
  describe("editing definitions", () => {
    it("A change of a definition is served without a restart; a broken change keeps the last good build and is shown until it is fixed", async () => {
      const { api, project } = use();
      const { id } = await api.createThread();
      await api.say(id, "What is a thread?");
      const read = (file: string): string => readFileSync(path.join(project.root, file), "utf8");

      const controller = read("agents/api/greeting.get.ts");
      project.write("agents/api/greeting.get.ts", controller.replace('"world"', '"again"'));
      await expect.poll(() => greeting(api), reload).toContain('"hello":"again"');
      await expect.poll(() => errors(api), reload).toEqual([]);

      const tool = read("agents/tools/search_handbook.ts");
      project.write("agents/tools/search_handbook.ts", `${tool}\nexport const broken = ;\n`);
      await expect.poll(() => errors(api), reload).toEqual(["agents/tools/search_handbook.ts"]);
      await expect.poll(() => greeting(api), reload).toContain('"hello":"again"');
      expect((await api.say(id, "What is a tool?")).run.text).toContain("A tool is a file in agents/tools.");

      project.write("agents/tools/search_handbook.ts", tool);
      await expect.poll(() => errors(api), reload).toEqual([]);
      expect((await api.say(id, "What is an event?")).run.text).toContain("Everything that happens is an event");
      expect(await api.messages(id)).toHaveLength(12);
    });

    it.each([
      ["a package that is not installed", 'import ky from "ky-of-nobody";', "Run: npm install ky-of-nobody"],
      ["a file that is not there", 'import { gone } from "../lib/gone.ts";', 'could not resolve "../lib/gone.ts"'],
      ["a module that Workers do not have", 'import sea from "node:sea";', 'no module "node:sea"'],
    ])(
      "The last good build still serves requests after an import of %s, and the error is shown until it is fixed",
      async (_what, line, shown) => {
        const { api, project, server } = use();
        const file = "agents/tools/remember.ts";
        const tool = readFileSync(path.join(project.root, file), "utf8");
        project.write(file, `${line}\n${tool}`);
        await expect.poll(() => errors(api), reload).toEqual([file]);
        await expect.poll(() => server.output()).toContain(`${file}:1:`);
        await expect.poll(() => server.output()).toContain(shown);
        const { id } = await api.createThread();
        expect((await api.say(id, "What is a tool?")).run.text).toContain("A tool is a file in agents/tools.");
        project.write(file, tool);
        await expect.poll(() => errors(api), reload).toEqual([]);
      },
    );

    it("If a reload of the server interrupts an answer, the answer is produced again, and its reader resumes where it was", async () => {
      const { api, project, desk } = use();
      const { id } = await api.createThread("weather_openai_assistant");
      const feed = await api.events(id);
      // The first answer does not end before the reload.
      const reloaded = deferred<void>();
      const pause = { afterBytes: 700, until: reloaded.promise };
      const mark = desk.order([{ fixture: "text", pause }, { fixture: "text" }]);
      const { run } = await api.post(id, `Hello ${mark}`);
      await feed.until("text_delta");
      const controller = readFileSync(path.join(project.root, "agents/api/greeting.get.ts"), "utf8");
      project.write("agents/api/greeting.get.ts", controller.replace('"again"', '"reloaded"'));
      await feed.untilEnd();
      await expect.poll(() => greeting(api), reload).toContain('"hello":"reloaded"');
      reloaded.resolve();

      const resumed = await api.events(id, `after=${String(feed.lastSeq)}&until=idle`);
      expect(await resumed.untilEnd()).toBe("end");
      expect(resumed.ofType("message_retracted")).toMatchObject([{ reason: "recovery" }]);
      const messages = await api.messages(id);
      expect(messages.map(({ role, run_id }) => [role, run_id])).toEqual([
        ["user", run.id],
        ["assistant", run.id],
      ]);
      expect(messages[1]?.content).toBe("Hello there, how can I help?");
      expect(settledMessages(resumed.view(feed.view()).messages)).toEqual(messages);
    });
  });
}
