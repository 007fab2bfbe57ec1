// Plays with several agents: sub-prompts, child threads, two sides, a handoff.

import { toolEffects, scriptedAnswers } from "../../worker/team.ts";
import type { GoldenPlay } from "../stage.ts";

const call = (name: string, args: Record<string, unknown>) => ({ name, arguments: args });
const act = (key: string) => ({ toolCalls: [call("act", { key })] });

export const teamPlays: GoldenPlay[] = [
  {
    name: "sub-prompts",
    agent: "boss",
    run: async (stage) => {
      scriptedAnswers.set("boss", ({ step, messages }) =>
        step === 0
          ? {
              toolCalls: [
                call("helper", { task: "look it up" }),
                call("quiet", { topic: "owls" }),
                call("plain", { topic: "owls", depth: 2 }),
                call("helper", { wrong: 1 }),
              ],
            }
          : { text: `boss done after ${String(messages.length)}` },
      );
      toolEffects.set("k", () => "acted");
      scriptedAnswers.set("helper", ({ step }) => (step === 0 ? act("k") : { text: "helper done" }));
      scriptedAnswers.set("quiet", ({ step }) => (step === 0 ? act("none") : { text: "quiet done" }));
      await stage.turn("a turn", () => stage.say("go"));
    },
  },
  {
    name: "child-thread",
    agent: "boss",
    unwatched: true,
    run: async (stage) => {
      scriptedAnswers.set("boss", ({ step }) =>
        step === 0 ? { toolCalls: [call("panel", { task: "decide" })] } : { text: "boss done" },
      );
      scriptedAnswers.set("pro", () => ({ text: "pro says" }));
      scriptedAnswers.set("con", () => ({ toolCalls: [call("conclude", { said: "yes" })] }));
      await stage.turn("a turn with a child", () => stage.say("go"));
      await stage.keep("with-a-child");
    },
  },
  {
    name: "children-three-deep",
    agent: "boss",
    unwatched: true,
    run: async (stage) => {
      scriptedAnswers.set("boss", ({ step }) =>
        step === 0 ? { toolCalls: [call("nest", { task: "2" })] } : { text: "boss done" },
      );
      // Until the parent of the middle thread has answered that it has no readers, events of the lowest thread use numbers of the middle one.
      const unread = stage.passed("after relay");
      scriptedAnswers.set("nester", async ({ messages, lastUser, step }) => {
        const left = Number(lastUser);
        if (step > 0) return { text: `from ${String(messages.at(-1)?.content)}` };
        if (left === 1) return { text: "bottom" };
        await unread;
        return { toolCalls: [call("nest", { task: String(left - 1) })] };
      });
      await stage.turn("a turn with children", () => stage.say("go"));
    },
  },
  {
    name: "handoff",
    agent: "support",
    run: async (stage) => {
      scriptedAnswers.set("desk", () => ({ text: "One moment.", toolCalls: [call("billing", { task: "take over" })] }));
      scriptedAnswers.set("clerk", ({ messages }) => ({ text: `billing after ${String(messages.length)}` }));
      await stage.turn("the turn that hands over", () => stage.say("my bill"));
      await stage.turn("the turn after it", () => stage.say("and now?"));
    },
  },
  {
    name: "two-sides",
    agent: "debate",
    run: async (stage) => {
      scriptedAnswers.set("pro", ({ messages }) => ({ text: `pro ${String(messages.length)}` }));
      scriptedAnswers.set("con", ({ messages }) => ({ text: `con ${String(messages.length)}` }));
      await stage.turn("a session", () => stage.say("Cats or dogs?"));
      await stage.turn("the other side begins", () => stage.ended(() => stage.ask("POST", "/runs", { side: "b" })));
    },
  },
  {
    name: "two-sides-end",
    agent: "panel",
    run: async (stage) => {
      toolEffects.set("force", (state) => state.execution?.forceTurn("b"));
      let turns = 0;
      scriptedAnswers.set("pro", () => {
        turns += 1;
        if (turns === 1) return { toolCalls: [call("pass", { said: "your turn" })] };
        return act("force");
      });
      let answers = 0;
      scriptedAnswers.set("con", () => {
        answers += 1;
        return answers === 1 ? { text: "con says" } : { toolCalls: [call("conclude", { said: "so be it" })] };
      });
      await stage.turn("a session that a tool ends", () => stage.say("discuss"));
    },
  },
];
