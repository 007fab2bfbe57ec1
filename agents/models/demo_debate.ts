// Plays both sides of the debate. Each side receives its own messages as the assistant's and the other side's as the user's.

import { defineModel } from "threadhold";
import type { TestRequest, TestTurn } from "threadhold";

import { call, isOffered, say } from "../lib/scripted.ts";

export default defineModel({
  name: "demo_debate",
  provider: "test",
  model: "demo_debate",
  inputPrice: 0,
  outputPrice: 0,
  script: (request) => (isOffered(request, "pass_the_floor") ? argueFor(request) : argueAgainst(request)),
});

function argueFor(request: TestRequest): TestTurn {
  const { motion, turn, heard } = heardSoFar(request);
  if (turn === 0) return say(`"${motion}": I am for it. It costs little to try, and whoever tried it went on with it.`);
  return turn % 2 === 1
    ? call("pass_the_floor", {}, `You say "${heard}" What would have to happen for you to change your mind?`)
    : say(`You say "${heard}" Then we agree on the goal and differ on the pace.`);
}

function argueAgainst(request: TestRequest): TestTurn {
  const { motion, turn } = heardSoFar(request);
  const refused = request.messages.at(-1)?.role === "tool";
  if (turn >= 2 && !refused)
    return call("close_debate", { verdict: `"${motion}" is worth a trial that ends on a date.` });
  return turn === 0
    ? say("Those who tried it and left are not asked. Count them too, and the case is half as strong.")
    : say("One honest comparison, made by somebody who gains nothing from it. I have seen none.");
}

/** The motion, the number of turns this side has taken, and the first sentence of the last message it received. */
function heardSoFar({ messages, lastUser }: TestRequest): { motion: string; turn: number; heard: string } {
  const first = messages[0]?.content ?? "";
  const opening = /^"(.+)": I am for it/.exec(first)?.[1];
  // If the first message is the opening, the user has posted no motion; the platform then sends "Begin.".
  const motion = opening ?? (first === "Begin." ? "Every town should have a tram" : first.replace(/\.$/, ""));
  const spoken = opening === undefined ? messages.slice(1) : messages;
  return {
    motion,
    turn: spoken.filter(({ role }) => role === "assistant").length,
    heard: /^.*?[.!?](?=\s|$)/.exec(lastUser)?.[0] ?? lastUser,
  };
}
