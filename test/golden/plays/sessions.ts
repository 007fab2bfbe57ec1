// Plays with sessions of the agent API, and with threads that are exported, deleted and imported.

import { skip } from "../../worker/clock.ts";
import { scripts } from "../../worker/definitions.ts";
import type { GoldenPlay, Stage } from "../stage.ts";

const said = (content: string) => ({ role: "user", content });
const options = { model: "scripted" };
const far = {
  name: "far",
  label: "Far",
  description: "Asks far away",
  parameters: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
};

/** Sends an execute request. The thread of a new session is added to the play. */
async function execute(stage: Stage, body: object): Promise<void> {
  await stage.ask("POST", "/api/agent/execute", body);
  const id = stage.exchanges.at(-1)?.headers["x-session-id"];
  const thread = stage.exchanges.at(-1)?.status === 200 ? id : undefined;
  if (thread !== undefined && !stage.threads.includes(thread)) stage.threads.push(thread);
  await stage.calm();
}

/** The pending calls of the play's session. */
async function pendingOf(stage: Stage): Promise<{ id: string; name: string }[]> {
  const path = `/api/agent/session/${stage.id}`;
  return (await stage.ask<{ pendingToolCalls: { id: string; name: string }[] }>("GET", path)).pendingToolCalls;
}

export const sessionPlays: GoldenPlay[] = [
  {
    name: "session",
    run: async (stage) => {
      scripts.set("ask_far", ({ step }) =>
        step === 0
          ? { thinking: "Hm.", text: "I ask.", toolCalls: [{ name: "far", arguments: { q: "why" } }] }
          : { text: ["It ", "is ", "so."] },
      );
      const messages = [
        said("Before."),
        { role: "assistant", content: [{ type: "text", text: "Yes?" }], stopReason: "stop" },
      ];
      const context = { systemPrompt: "Be kind.", tools: [far], messages };
      await execute(stage, { input: said("ask_far"), context, options: { ...options, temperature: 0.5 } });
      const [call] = await pendingOf(stage);
      await stage.keep("session-that-waits");
      const result = { role: "toolResult", toolCallId: call?.id, toolName: "far", content: "because" };
      await stage.turn("its client answers", () => execute(stage, { sessionId: stage.id, input: [result] }));
      await execute(stage, { sessionId: stage.id, input: [result] });
      await stage.turn("once more", () => execute(stage, { session_id: stage.id, input: said("Thanks") }));
      await execute(stage, { sessionId: stage.id, input: said("x"), limits: { wrong: 1 } });
      await execute(stage, { input: said("x") });
      await execute(stage, { input: said("x"), context: { agent: "no such agent" } });
      await stage.ask("GET", `/api/agent/session/${stage.id}`);
      await stage.ask("GET", "/api/agent/session/none");
    },
  },
  {
    name: "session-of-an-agent",
    run: async (stage) => {
      scripts.set("stream_it", ({ step }) =>
        step === 0
          ? { text: ["I ", "look."], toolCalls: [{ name: "stream", arguments: { parts: ["a", "b"] } }] }
          : { text: "ab" },
      );
      scripts.set("fails", () => ({ text: "half ", error: { kind: "auth", message: "no" } }));
      await execute(stage, { input: said("stream_it"), context: { agent: "parallel" } });
      await execute(stage, { sessionId: stage.id, input: said("fails") });
      await stage.ask("GET", `/api/agent/session/${stage.id}`);
    },
  },
  {
    name: "export-and-import",
    agent: "seeing",
    run: async (stage) => {
      await stage.turn("a turn with a file", () =>
        stage.say("look", { attachments: [{ name: "a.csv", mime_type: "text/csv", data: btoa("a,b\n1,2") }] }),
      );
      const file = await (await stage.send("GET", `/api/threads/${stage.id}/export?files=true`)).arrayBuffer();
      const body = new Uint8Array(file);
      await stage.leave();
      await stage.ask("POST", "/api/threads/import", body);
      await stage.ask("DELETE", "");
      await stage.ask("GET", "");
      skip(1000);
      await stage.ask("POST", "/api/threads/import", body.slice(0, -100));
      await stage.ask("POST", "/api/threads/import", body);
      await stage.calm();
      await stage.turn("it goes on", async () => {
        await stage.ask("POST", "/messages?wait=true", { content: "and now?" });
        await stage.calm();
      });
    },
  },
  {
    name: "deleted",
    agent: "parallel",
    run: async (stage) => {
      await stage.turn("a turn", () => stage.say("Hello"));
      await stage.leave();
      await stage.ask("DELETE", "");
      await stage.ask("DELETE", "");
      await stage.ask("GET", "/messages");
    },
  },
];
