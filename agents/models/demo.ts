// A model that needs no key. Its answers are written below, as a function of the request: it uses earlier messages, chooses a tool by
// the question, and admits when it has no answer.

import { defineModel } from "threadhold";
import type { TestRequest, TestTurn } from "threadhold";

const aboutThreadhold = /\b(threads?|runs?|steps?|events?|tools?|models?|threadhold|handbook)\b/i;
const toRemember = /\b(?:remember|note|keep in mind)(?: that)?:?\s+(.+)/i;
const lookingBack =
  /\b(before|earlier|previous(?:ly)?|remind|recall|did i (?:say|tell)|what (?:do|did) you (?:know|remember))\b/i;

export default defineModel({
  name: "demo",
  provider: "test",
  model: "demo",
  inputPrice: 0,
  outputPrice: 0,
  contextWindow: 100_000,
  script: answer,
});

function answer(request: TestRequest): TestTurn {
  const last = request.messages.at(-1);
  if (last?.role === "tool") return { delayMs: 12, text: afterTool(last) };
  const said = request.lastUser.trim();
  const note = toRemember.exec(said)?.[1];
  if (note !== undefined) {
    return call("remember", { note: withoutFullStop(note) }, "That is worth a note.");
  }
  if (lookingBack.test(said)) return { delayMs: 12, text: lookBack(request) };
  if (aboutThreadhold.test(said)) {
    return call("search_handbook", { question: said }, "The handbook may know.");
  }
  if (/^(hi|hello|hey|good (morning|evening|day))\b/i.test(said)) return { delayMs: 12, text: greeting };
  return { delayMs: 12, text: outOfDepth(request) };
}

const greeting =
  "Hello! I am the demo assistant, and my answers are scripted, so I need no key. " +
  'Ask me "What is a thread?", tell me "Remember that my cat is called Ada", or ask "What did I say before?".';

function call(name: string, args: Record<string, string>, thinking: string): TestTurn {
  return { delayMs: 12, thinking, toolCalls: [{ name, arguments: args }] };
}

function afterTool({ name, content }: TestRequest["messages"][number]): string {
  if (name === "remember") return `I will remember that. ${content}`;
  if (content === "Nothing found.") return "I looked through the handbook and found nothing about that.";
  return `Here is what the handbook says. ${content}`;
}

function lookBack(request: TestRequest): string {
  // Notes are system messages, which reach a model as a part of its system prompt.
  const notes = request.system
    .split("\n")
    .filter((line) => line.startsWith("Note: "))
    .map((line) => withoutFullStop(line.slice("Note: ".length)));
  const earlier = said(request).at(-2);
  const lines = [
    earlier === undefined ? "This is the first thing you have told me." : `Before this you said: "${earlier}".`,
    ...(notes.length === 0 ? [] : [`My notes say: ${notes.join("; ")}.`]),
  ];
  return lines.join(" ");
}

function outOfDepth(request: TestRequest): string {
  const earlier = said(request).at(-2);
  const reference = earlier === undefined ? "" : ` (Before this you said: "${earlier}".)`;
  return (
    "That is beyond me: I am a scripted demo model without a language model behind me. " +
    "I can answer questions about threads, runs, events, tools and models, keep notes, and tell you what you said before. " +
    `For everything else put a provider's key into .dev.vars and pick its agent.${reference}`
  );
}

/** The user's messages, oldest first. */
function said({ messages }: TestRequest): string[] {
  return messages.filter((message) => message.role === "user").map((message) => message.content);
}

function withoutFullStop(text: string): string {
  return text.trim().replace(/\.$/, "");
}
