// Plays with one agent and no failures: text, thinking, the queue, steering, stops, changes of messages, refused requests.

import { skip } from "../../worker/clock.ts";
import { gate, scripts } from "../../worker/definitions.ts";
import type { GoldenPlay, Stage } from "../stage.ts";

/** Starts a run whose tool waits at a gate. Returns the function that opens the gate. */
async function busy(stage: Stage, name: string): Promise<() => void> {
  const { reached, open } = gate(name);
  scripts.set(name, ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "wait", arguments: { gate: name } }] } : { text: `${name} done` },
  );
  await stage.ask("POST", "/messages", { content: name });
  await reached;
  return open;
}

export const talkPlays: GoldenPlay[] = [
  {
    name: "text",
    agent: "parallel",
    extra: { title: "A talk", tags: ["golden"], metadata: { number: 1 } },
    run: async (stage) => {
      await stage.turn("the first turn", () => stage.say("Hello", { metadata: { client: "golden" } }));
      await stage.turn("the second turn", () => stage.say("And again"));
    },
  },
  {
    name: "thinking",
    agent: "thoughtful",
    run: async (stage) => {
      scripts.set("think", ({ step }) =>
        step === 0
          ? {
              thinking: "Let me see.",
              signature: "signed",
              text: ["I ", "look ", "it up."],
              toolCalls: [{ name: "note", arguments: { text: "thought" } }],
              usage: { input: 20, output: 10, cacheRead: 5, cacheWrite: 3 },
            }
          : { thinking: "Now I know.", text: ["It ", "is ", "so."], usage: { input: 40, output: 4 } },
      );
      await stage.turn("a turn", () => stage.say("think about it"));
      await stage.keep("at-rest");
    },
  },
  {
    name: "steering",
    agent: "parallel",
    run: async (stage) => {
      await stage.turn("a run that two messages join and one follows", () =>
        stage.ended(async () => {
          const open = await busy(stage, "steered");
          await stage.ask("POST", "/messages", { content: "first aside", when: "steer" });
          await stage.ask("POST", "/messages", { content: "later" });
          await stage.ask("POST", "/messages", { content: "second aside", when: "steer" });
          await stage.ask("GET", "/queue");
          open();
        }, 2),
      );
      await stage.keep("steered");
    },
  },
  {
    name: "interrupt",
    agent: "parallel",
    run: (stage) =>
      stage.turn("a run that a message ends", async () => {
        const open = await busy(stage, "interrupted");
        await stage.ask("POST", "/messages", { content: "refused", when: "reject" });
        await stage.ended(() => stage.ask("POST", "/messages", { content: "now", when: "interrupt" }), 2);
        await stage.ended(() => stage.ask("POST", "/messages", { content: "not now", when: "reject" }));
        open();
      }),
  },
  {
    name: "stop",
    agent: "parallel",
    run: async (stage) => {
      await stage.turn("a run that is stopped, with one that waits", () =>
        stage.ended(async () => {
          const open = await busy(stage, "stopped");
          await stage.ask("POST", "/messages", { content: "held back" });
          await stage.ask("POST", "/stop", {});
          open();
        }),
      );
      await stage.turn("what waited, and one more", () =>
        stage.ended(() => stage.ask("POST", "/messages", { content: "go on" }), 2),
      );
    },
  },
  {
    name: "queue",
    agent: "parallel",
    run: (stage) =>
      stage.turn("inputs that are changed and taken out while they wait", () =>
        stage.ended(async () => {
          const open = await busy(stage, "queued");
          const ids: string[] = [];
          for (const content of ["one", "two", "three"]) {
            const { run } = await stage.ask<{ run: { id: string } }>("POST", "/messages", { content });
            ids.push(run.id);
          }
          await stage.ask("PATCH", `/queue/${ids[0] ?? ""}`, { content: "one, changed" });
          await stage.ask("DELETE", `/queue/${ids[1] ?? ""}`);
          await stage.ask("DELETE", `/queue/${ids[1] ?? ""}`);
          open();
        }, 3),
      ),
  },
  {
    name: "changes",
    agent: "parallel",
    extra: { initial_messages: [{ role: "user", content: "the first", metadata: { kept: 1 } }] },
    run: async (stage) => {
      scripts.set("work", ({ step }) =>
        step === 0 ? { toolCalls: [{ name: "note", arguments: { text: "worked" } }] } : { text: "worked" },
      );
      await stage.turn("a turn", () => stage.say("work"));
      const { messages } = await stage.ask<{ messages: { id: string }[] }>("GET", "/messages?limit=2&order=desc");
      const { messages: first } = await stage.ask<{ messages: { id: string }[] }>("GET", "/messages?limit=3");
      await stage.turn("what is changed afterwards", async () => {
        await stage.ask("PATCH", "", { title: "Changed", tags: ["a", "b"], metadata: { by: "a client" } });
        await stage.ask("PATCH", `/messages/${first[0]?.id ?? ""}`, { content: "changed", metadata: { more: 2 } });
        await stage.ask("DELETE", `/messages/${first[2]?.id ?? ""}`);
        await stage.ask("GET", `/messages/${first[2]?.id ?? ""}`);
        await stage.ask("DELETE", `/messages/${messages[0]?.id ?? ""}`);
        await stage.ask("PATCH", "", { title: null, agent_id: "short" });
        await stage.settled();
      });
      await stage.turn("a run without a message", () => stage.ended(() => stage.ask("POST", "/runs", {})));
    },
  },
  {
    name: "refusals",
    agent: "parallel",
    run: async (stage) => {
      const nobody = "00000000-0000-7000-8000-000000000000";
      await stage.ask("POST", "/api/threads", { agent_id: "no such agent" });
      await stage.ask("POST", "/api/threads", { agent: "parallel" });
      await stage.ask("GET", `/api/threads/${nobody}`);
      await stage.ask("GET", "", undefined, { authorization: "Bearer other-secret" });
      await stage.ask("GET", "", undefined, { authorization: "Bearer wrong" });
      await stage.ask("POST", "/messages", { content: 5, wrong: true });
      await stage.ask("POST", "/messages", "no JSON", { "content-type": "application/json" });
      await stage.ask("GET", `/messages/${nobody}`);
      await stage.ask("GET", `/runs/${nobody}`);
      await stage.ask("GET", `/logs/${nobody}`);
      await stage.ask("GET", "/messages?limit=0&cursor=wrong");
      await stage.ask("GET", "/files/none.txt");
      await stage.ask("POST", "/tools/none", {});
      await stage.ask("POST", "/tool-results", { results: [{ tool_call_id: "none", result: "x" }] });
      await stage.ask("PUT", "", {});
      await stage.ask("GET", "/nowhere");
      await stage.ask("GET", "/stream");
      await stage.ask("GET", "/refusing");
      await stage.ask("GET", "/seen?x=1");
    },
  },
  {
    name: "wakeup",
    agent: "parallel",
    run: async (stage) => {
      scripts.set(
        "sleep",
        (() => {
          let requested = 0;
          return () => {
            requested += 1;
            return requested === 1
              ? { text: "half", error: { kind: "rate_limited" as const, message: "slow down", retryAfterMs: 60_000 } }
              : { text: "rested" };
          };
        })(),
      );
      await stage.turn("a run until it waits for a minute", async () => {
        await stage.ask("POST", "/messages", { content: "sleep" });
        await stage.live?.until(({ type }) => type === "model_retry");
        await stage.suspended();
      });
      await stage.ask("POST", "/messages", { content: "waits its turn" });
      await stage.ask("GET", "");
      await stage.keep("waits-a-minute");
      await stage.turn("the minute is over", () =>
        stage.ended(async () => {
          skip(61_000);
          await stage.wake();
        }, 2),
      );
    },
  },
];
