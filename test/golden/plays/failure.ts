// Plays with failures: model errors, limits, crashes of the object, repeated requests.

import { inject } from "vitest";

import type { Limits } from "#contract/run.ts";

import { scriptedModel } from "../../standard-agents/project.ts";
import { plays } from "../../thread/fault-plays.ts";
import { untilDone } from "../../thread/fault-stage.ts";
import { scripts } from "../../worker/definitions.ts";
import { planFaults } from "../../worker/fault-plan.ts";
import { outside } from "../../worker/faulted.ts";
import { toolEffects, scriptedAnswers } from "../../worker/team.ts";
import type { GoldenPlay, Stage } from "../stage.ts";

const usage = { input: 60, output: 40 };

/** A run that calls a tool until it reaches a limit. */
function limited(name: string, limits: Limits, more?: (stage: Stage) => Promise<void>): GoldenPlay {
  return {
    name: `limit-${name}`,
    agent: "capped",
    run: async (stage) => {
      scriptedAnswers.set("boss", ({ step }) =>
        step < 3 ? { toolCalls: [{ name: "act", arguments: { key: "none" } }], usage } : { text: "done", usage },
      );
      toolEffects.set("none", () => "acted");
      if (more === undefined) return stage.turn("a run to its limit", () => stage.say("go", { limits }));
      await stage.turn("a run until it waits at its limit", async () => {
        await stage.ask("POST", "/messages", { content: "go", limits });
        await stage.live?.until(({ type }) => type === "awaiting_tool_execution");
        await stage.suspended();
      });
      await stage.keep("waits-at-its-limit");
      await more(stage);
    },
  };
}

/** A conversation whose object is killed once at a fault point and resumed by its alarm. */
function crashing(name: string, point: string, hit = 1): GoldenPlay {
  return {
    name: `crash-${name}`,
    agent: "sequential",
    uncounted: true,
    unwatched: true,
    run: async (stage) => {
      const parts = ["one ", "two"];
      scripts.set("work", ({ step }) =>
        step === 0
          ? {
              text: ["I ", "begin."],
              toolCalls: [
                { name: "again", arguments: { gate: "none" } },
                { name: "stream", arguments: { parts } },
                { name: "note", arguments: { text: "after it" } },
              ],
            }
          : { text: ["All ", "done."] },
      );
      const plan = planFaults(stage.id, [{ point, hit, mode: "kept" }]);
      await stage.ended(async () => {
        await stage.ask("POST", "/messages", { content: "work" }, { "idempotency-key": "work" });
        await stage.until(() => plan.died === 1);
        await stage.keep(`cut-${name}`, true);
        await untilDone(() => stage.wake());
      });
    },
  };
}

export const failurePlays: GoldenPlay[] = [
  {
    name: "fallback",
    agent: "falls_back",
    run: (stage) => stage.turn("a turn that another model ends", () => stage.say("Hello")),
  },
  {
    name: "retries-fail",
    agent: "main",
    project: () => ({
      model: { fallbacks: ["second"], retry: { maxRetries: 1, initialDelayMs: 1 } },
      models: [scriptedModel("second", () => ({ error: { status: 401, message: "no key" } }))],
      script: () => ({ text: "half ", error: { status: 503, message: "overloaded" } }),
    }),
    run: (stage) => stage.turn("a run that no model answers", () => stage.say("Hello")),
  },
  limited("steps", { steps: 2 }),
  limited("tokens", { tokens: 250 }),
  limited("cost", { cost: 0.0003 }),
  limited("raised", { steps: 2, on_limit: "rest" }, (stage) =>
    stage.turn("it is raised", () =>
      stage.ended(() => stage.ask("POST", "/runs", { kind: "continue", limits: { steps: 9 } })),
    ),
  ),
  crashing("in-an-answer", "model.part"),
  crashing("in-a-tool", "tool.piece", 3),
  {
    name: "redelivery",
    agent: "parallel",
    run: async (stage) => {
      scripts.set("twice", ({ step }) =>
        step === 0 ? { toolCalls: [{ name: "note", arguments: { text: "once" } }] } : { text: "once" },
      );
      const key = { "idempotency-key": "one" };
      await stage.turn("a message that comes three times", () =>
        stage.ended(async () => {
          await stage.ask("POST", "/messages", { content: "twice" }, key);
          await stage.ask("POST", "/messages", { content: "twice" }, key);
        }),
      );
      await stage.turn("after the end", async () => {
        await stage.ask("POST", "/messages", { content: "twice" }, key);
        await stage.ask("POST", "/messages", { content: "another" }, key);
        await stage.settled();
      });
      const made = { agent_id: "parallel", title: "Made once" };
      const first = await stage.ask<{ id: string }>("POST", "/api/threads", made, { "idempotency-key": "made" });
      await stage.ask("POST", "/api/threads", made, { "idempotency-key": "made" });
      stage.threads.push(first.id);
    },
  },
  ...plays.map(([name, { agent, extra, begin }]): GoldenPlay => ({
    name: name.replaceAll(/\W+/g, "-"),
    agent,
    ...(extra === undefined ? {} : { extra }),
    ...(agent === "fault_boss" || agent === "fault_host" ? { unwatched: true } : {}),
    run: async (stage) => {
      outside.url = inject("effectServer");
      stage.wires.effects = { url: outside.url, id: stage.id };
      await stage.turn("the conversation", () => stage.ended(() => begin(stage.id)));
    },
  })),
];
