// Plays with tools: results, errors and timeouts, approvals, remote tools, hooks.

import { defineHook, defineTool } from "@standardagents/spec";
import { z } from "zod";

import { calling } from "../../standard-agents/project.ts";
import { scripts } from "../../worker/definitions.ts";
import type { GoldenPlay, Stage } from "../stage.ts";

/** Waits until the run is suspended, and returns its pending calls. */
async function pendingCalls(stage: Stage): Promise<{ id: string; name: string }[]> {
  await stage.live?.until(({ type }) => type === "awaiting_tool_execution");
  await stage.suspended();
  return (await stage.ask<{ pending_tool_calls: { id: string; name: string }[] }>("GET", "")).pending_tool_calls;
}

/** Steers or interrupts a run that waits for its client. The client answers afterwards. */
async function spokenTo(stage: Stage, when: "steer" | "interrupt"): Promise<void> {
  scripts.set("ask", ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "ask", arguments: { q: "why" } }] } : { text: "thanks" },
  );
  await stage.turn("a run that waits and is spoken to", () =>
    stage.ended(
      async () => {
        await stage.ask("POST", "/messages", { content: "ask" });
        const [call] = await pendingCalls(stage);
        const aside = () => stage.ask("POST", "/messages", { content: "aside", when });
        await (when === "steer" ? aside() : stage.ended(aside, 2));
        await stage.ask("POST", "/tool-results", { results: [{ tool_call_id: call?.id, result: "because" }] });
      },
      when === "steer" ? 1 : 2,
    ),
  );
}

const text = z.object({ text: z.string() });

/** A tool that never answers. */
const never = defineTool("Never answers", null, () => new Promise<never>(() => {}), { timeoutMs: 30 });
const fine = defineTool("Answers", text, async (_state, { text: said }) => ({ status: "success", result: said }));
const refuses = defineTool("Answers with an error", async () => ({ status: "error", error: "It cannot be done." }));
const throws = defineTool("Throws", async () => {
  throw new Error("It broke.");
});
const streams = defineTool("Streams", async function* () {
  for (const delta of ["one ", "two"]) yield { type: "delta", delta } as const;
  yield { type: "complete", output: "one two" } as const;
});

export const toolPlays: GoldenPlay[] = [
  {
    name: "tools",
    agent: "main",
    project: () => ({
      tools: { never, fine, refuses, throws, streams },
      prompt: { includeChat: true, includePastTools: true, parallelToolCalls: false },
      script: ({ step, lastUser }) => {
        if (lastUser !== "work") return { text: "seen" };
        if (step > 1) return { text: "done" };
        if (step === 1) return { text: "Once more.", toolCalls: [{ name: "fine", arguments: { text: "second" } }] };
        const calls: [string, Record<string, unknown> | string][] = [
          ["fine", { text: "first" }],
          ["fine", { wrong: 1 }],
          ["fine", '{"text": "cut'],
          ["refuses", {}],
          ["throws", {}],
          ["never", {}],
          ["missing", {}],
          ["streams", {}],
        ];
        return { text: "I begin.", toolCalls: calls.map(([name, args]) => ({ name, arguments: args })) };
      },
    }),
    run: async (stage) => {
      await stage.turn("a turn of ten calls", () => stage.say("work"));
      await stage.turn("a turn after them", () => stage.say("look"));
    },
  },
  {
    name: "tools-side-by-side",
    agent: "parallel",
    run: async (stage) => {
      scripts.set("both", ({ step }) =>
        step === 0
          ? {
              toolCalls: [
                { name: "note", arguments: { text: "left" } },
                { name: "broken", arguments: {} },
                { name: "inject", arguments: { text: "a note between" } },
                { name: "edit", arguments: { text: "both, edited" } },
              ],
            }
          : { text: "both done" },
      );
      await stage.turn("a turn", () => stage.say("both"));
    },
  },
  {
    name: "queued-calls",
    agent: "parallel",
    run: async (stage) => {
      scripts.set("later", ({ step }) =>
        step === 0 ? { toolCalls: [{ name: "later", arguments: { gate: "none" } }] } : { text: "all done" },
      );
      await stage.turn("a turn with two queued calls", () => stage.say("later"));
      await stage.turn("a call by hand", async () => {
        await stage.ask("POST", "/tools/note", { args: { text: "by hand" } });
        await stage.ask("POST", "/tools/note", { args: { wrong: 1 } });
        await stage.settled();
      });
      scripts.set("halt", () => ({ text: "I stop.", toolCalls: [{ name: "halt", arguments: {} }] }));
      await stage.turn("a run that its tool stops", () => stage.say("halt"));
    },
  },
  {
    name: "approval",
    agent: "payer",
    run: async (stage) => {
      scripts.set("pay", ({ step }) =>
        step === 0
          ? {
              toolCalls: [
                { name: "pay", arguments: { to: "Ada", amount: 5 } },
                { name: "erase", arguments: { what: "everything" } },
                { name: "spend", arguments: { to: "Bob", amount: 1 } },
              ],
            }
          : { text: "settled" },
      );
      let calls: { id: string; name: string }[] = [];
      await stage.turn("a run until it asks", async () => {
        await stage.ask("POST", "/messages", { content: "pay" });
        calls = await pendingCalls(stage);
      });
      await stage.keep("waits-for-approval");
      await stage.turn("it is allowed and declined", () =>
        stage.ended(async () => {
          const [pay, erase] = calls;
          const no = { results: [{ tool_call_id: erase?.id, approved: false, error: "Not that." }] };
          await stage.ask("POST", "/tool-results", no);
          await stage.ask("POST", "/tool-results", no);
          const yes = { tool_call_id: pay?.id, approved: true, args: { to: "Ada", amount: 4 } };
          await stage.ask("POST", "/tool-results", { results: [{ ...yes, args: { to: 4 } }] });
          await stage.ask("POST", "/tool-results", { results: [yes] });
        }),
      );
      scripts.set("nobody", ({ step }) =>
        step === 0
          ? { toolCalls: [{ name: "spend", arguments: { to: "nobody", amount: 1 } }] }
          : { text: "it cannot be asked" },
      );
      await stage.turn("it cannot be decided whether to ask", () => stage.say("nobody"));
    },
  },
  {
    name: "remote-tools",
    agent: "asker",
    run: async (stage) => {
      scripts.set("ask", ({ step }) =>
        step === 0
          ? {
              toolCalls: [
                { name: "ask", arguments: { q: "why" } },
                { name: "ask_place", arguments: { q: "where" } },
                { name: "note", arguments: { text: "meanwhile" } },
              ],
            }
          : { text: "thanks" },
      );
      let calls: { id: string; name: string }[] = [];
      await stage.turn("a run until it asks", async () => {
        await stage.ask("POST", "/messages", { content: "ask" });
        calls = await pendingCalls(stage);
      });
      await stage.keep("waits-for-its-client");
      await stage.turn("its client answers", () =>
        stage.ended(async () => {
          const [ask, place] = calls;
          const first = { results: [{ tool_call_id: ask?.id, result: "because" }] };
          await stage.ask("POST", "/tool-results", first);
          await stage.ask("POST", "/tool-results", first);
          await stage.ask("POST", "/tool-results", { results: [{ tool_call_id: ask?.id, result: "otherwise" }] });
          await stage.ask("POST", "/tool-results", { results: [{ tool_call_id: place?.id, result: "no place" }] });
          const here = { place: "here", people: 2 };
          await stage.ask("POST", "/tool-results", {
            results: [{ tool_call_id: place?.id, result: JSON.stringify(here) }],
          });
        }),
      );
    },
  },
  {
    name: "steer-a-waiting-run",
    agent: "asker",
    run: (stage) => spokenTo(stage, "steer"),
  },
  {
    name: "interrupt-a-waiting-run",
    agent: "asker",
    run: (stage) => spokenTo(stage, "interrupt"),
  },
  {
    name: "forced-tool-end",
    agent: "main",
    project: () => ({
      tools: {
        report: defineTool("Reports", z.object({ sum: z.number() }), async (_state, { sum }) => ({
          status: "success",
          result: JSON.stringify({ sum, ok: true }),
        })),
      },
      side: { stopTool: "report", stopToolResponseProperty: "sum" },
      prompt: { toolChoice: "required" },
      script: ({ step }) => (step === 0 ? { text: "Not yet." } : calling("report", { sum: 42 })),
    }),
    run: (stage) => stage.turn("a run that a tool ends", () => stage.say("count")),
  },
  {
    name: "hooks",
    agent: "main",
    extra: {
      initial_messages: [
        { role: "user", content: "drop me" },
        { role: "system", content: "stay" },
      ],
    },
    project: () => ({
      tools: { fine, throws },
      hooks: [
        defineHook("filter_messages", async (_state, messages) =>
          messages.filter(({ content }) => content !== "drop me"),
        ),
        defineHook("prefilter_llm_history", async (_state, messages) =>
          messages.map((message) => (message.role === "user" ? { ...message, content: "Go! (be brief)" } : message)),
        ),
        defineHook("before_create_message", async (_state, message) => ({
          ...message,
          id: "other",
          ...(typeof message["content"] === "string" ? { content: `${message["content"]}|` } : {}),
        })),
        defineHook("after_create_message", async (state, message) => {
          state.emit("created", { role: String(message["role"]) });
        }),
        defineHook("before_update_message", async (_state, _id, updates) => ({ ...updates, unknown: true })),
        defineHook("after_update_message", async (state) => state.emit("updated", {})),
        defineHook("after_tool_call_success", async (_state, call, result) => ({
          ...result,
          result: `${result.result ?? ""} improved by ${call.function.name}`,
        })),
        defineHook("after_tool_call_failure", async () => {
          throw new Error("The hook broke.");
        }),
        defineHook("before_store_tool_result", async (_state, _call, result) => ({
          ...result,
          result: typeof result["result"] === "string" ? result["result"].replace("secret", "***") : null,
        })),
      ],
      prompt: { includeChat: true, includePastTools: true, parallelToolCalls: false },
      script: ({ step }) =>
        step === 0
          ? {
              text: "I call.",
              toolCalls: [
                { name: "fine", arguments: { text: "the secret" } },
                { name: "throws", arguments: {} },
              ],
            }
          : { text: "done" },
    }),
    run: async (stage) => {
      await stage.turn("a turn", () => stage.say("go"));
      const { messages } = await stage.ask<{ messages: { id: string }[] }>("GET", "/messages?limit=3");
      await stage.turn("a change", async () => {
        await stage.ask("PATCH", `/messages/${messages[2]?.id ?? ""}`, { content: "changed" });
        await stage.settled();
      });
    },
  },
];
