// An agent whose model has a provider of the project: a function that sends Chat Completions to the address of a variable.

import type { ProjectCopy } from "./project-copy.ts";
import { systemPrompt } from "./weather-agents.ts";

/** The key of the provider, which appears in no other text by accident. */
export const ownKey = "key-own-chat-4f1d9c27b8e6";

/** `--var` for the key and the address of the provider. */
export function ownProviderVariables(url: string): string[] {
  return [`OWN_CHAT_LOGIN:${ownKey}`, `OWN_CHAT_ADDRESS:${url}/v1`].flatMap((variable) => ["--var", variable]);
}

const provider = `import { defineProvider, type ProviderMessage } from "threadhold";

interface Chunk {
  choices: { delta: { content?: string; tool_calls?: { id?: string; function: { name?: string; arguments?: string } }[] }; finish_reason?: string }[];
}

function sent(message: ProviderMessage): object {
  if (message.role === "system") return { role: "system", content: message.text };
  const content = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  if (message.role === "user") return { role: "user", content };
  if (message.role === "tool") return { role: "tool", tool_call_id: message.callId, content };
  const calls = message.content.flatMap((part) => (part.type === "tool_call" ? [part] : []));
  const tool_calls = calls.map(({ id, name, arguments: given }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(given) },
  }));
  return { role: "assistant", content, ...(tool_calls.length === 0 ? {} : { tool_calls }) };
}

export default defineProvider({
  name: "own_chat",
  variables: ["OWN_CHAT_LOGIN", "OWN_CHAT_ADDRESS"],
  async *stream({ model, system, messages, tools }, { env, fetch }) {
    const response = await fetch(\`\${env.OWN_CHAT_ADDRESS}/chat/completions\`, {
      method: "POST",
      headers: { authorization: \`Bearer \${env.OWN_CHAT_LOGIN}\` },
      body: JSON.stringify({
        model,
        messages: [{ role: "system", content: system }, ...messages.map(sent)],
        tools: tools.map((tool) => ({ type: "function", function: tool })),
        stream: true,
      }),
    });
    if (!response.ok || response.body === null) throw new Error(await response.text());
    let rest = "";
    let reason: string | undefined;
    const call = { id: "", name: "", text: "" };
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      const events = (rest + piece).split("\\n\\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        if (!event.startsWith("data: {")) continue;
        const [choice] = (JSON.parse(event.slice("data: ".length)) as Chunk).choices;
        if (choice?.delta.content) yield { type: "text", text: choice.delta.content };
        for (const { id, function: called } of choice?.delta.tool_calls ?? []) {
          call.id ||= id ?? "";
          call.name ||= called.name ?? "";
          call.text += called.arguments ?? "";
        }
        reason = choice?.finish_reason ?? reason;
      }
    }
    if (reason === undefined) return;
    if (call.id !== "") yield { type: "tool_call", id: call.id, name: call.name, arguments: call.text };
    yield { type: "finish", reason: reason === "tool_calls" ? "tool_calls" : "stop" };
  },
});
`;

/** Adds the definitions to a project. */
export function addOwnProviderAgents(project: ProjectCopy): void {
  project.write("agents/providers/own_chat.ts", provider);
  project.write(
    "agents/models/own_chat.ts",
    `import { defineModel } from "threadhold";

export default defineModel({ name: "own_chat", provider: "own_chat", model: "chat-1" });
`,
  );
  project.write(
    "agents/prompts/own_chat.ts",
    `import { definePrompt } from "threadhold";

export default definePrompt({
  name: "own_chat",
  toolDescription: "Tells the weather",
  model: "own_chat",
  includeChat: true,
  tools: ["get_weather", "get_time"],
  prompt: "${systemPrompt}",
});
`,
  );
  project.write(
    "agents/agents/own_chat_assistant.ts",
    `import { defineAgent } from "threadhold";

export default defineAgent({ name: "own_chat_assistant", sideA: { prompt: "own_chat", maxSteps: 20 } });
`,
  );
}
