// A session in this process, without a server or a Worker. It stops when the model calls a tool without a function. The session is then
// stored as JSON, created again, and continued with the result of the call.

import { createSession, execute } from "threadhold/session";
import type { AgentSession } from "threadhold/session";

// A scripted model, so that no key is needed. For a real model use defineModel({ name, provider: "anthropic", model: "…" }), with
// ANTHROPIC_API_KEY in the environment.
import model from "../../agents/models/demo_session.ts";
import { print } from "./print.ts";
import { tools } from "./tools.ts";

const systemPrompt = "You add numbers and know the weather.";
const session = createSession("demo-1", { systemPrompt, tools }, { model });
const stream = execute(session, { role: "user", content: "What is 17 + 25, and how is the weather here?" });
for await (const event of stream) print(event);
const { status, pendingToolCalls = [] } = await stream.result();
console.log(`(${status})`);

const stored = JSON.stringify(session);

const { id, messages } = JSON.parse(stored) as AgentSession;
const again = createSession(id, { systemPrompt, messages, tools }, { model });
const results = pendingToolCalls.map((call) => ({
  role: "toolResult" as const,
  toolCallId: call.id,
  toolName: call.name,
  content: "Lisbon",
}));
for await (const event of execute(again, results)) print(event);
console.log(`(${again.status}, ${again.messages.length} messages, $${again.totalCost?.toFixed(6)})`);
