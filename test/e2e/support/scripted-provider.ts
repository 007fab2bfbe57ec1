// A provider on the loopback that speaks chat completions, as OpenAI and OpenRouter do, with answers from a test's
// script. It records each request, and refuses one that breaks the rules of its protocol.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { BrokenRequests, wireOf } from "../../support/wire-rules/request-problems.mjs";

/** The answer of a model: text, at once or in pieces, calls, or a refusal with its status. */
export interface ProviderAnswer {
  text?: string | AsyncIterable<string>;
  calls?: { name: string; args: object }[];
  status?: number;
}

/** A message of a request. OpenRouter receives some of them in parts. */
export interface SentMessage {
  role: string;
  content: string | { text: string }[] | null;
}

/** A request as the provider receives it. */
export interface ProviderRequest {
  path: string;
  headers: Record<string, string>;
  body: {
    model: string;
    messages: SentMessage[];
    tools?: { function: { name: string; description: string } }[];
  } & Record<string, unknown>;
}

/** A running provider. */
export interface ScriptedProvider {
  url: string;
  requests: ProviderRequest[];
  close: () => Promise<void>;
}

/** Starts a provider. */
export async function openScriptedProvider(
  script: (request: ProviderRequest) => ProviderAnswer,
): Promise<ScriptedProvider> {
  const requests: ProviderRequest[] = [];
  const broken = new BrokenRequests();
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const one: ProviderRequest = {
      path: request.url ?? "/",
      headers: request.headers as Record<string, string>,
      body: JSON.parse(Buffer.concat(chunks).toString("utf8")) as ProviderRequest["body"],
    };
    requests.push(one);
    const refusal = broken.check(wireOf(`http://provider${one.path}`) ?? "none", one);
    if (refusal !== null) {
      response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(refusal));
      return;
    }
    await answer(response, script(one), requests.length);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${String(typeof address === "object" && address !== null ? address.port : 0)}`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      broken.assertNone();
    },
  };
}

/** The text of a message. */
export function textOf(message: SentMessage | undefined): string {
  const content = message?.content ?? "";
  return typeof content === "string" ? content : content.map(({ text }) => text).join("");
}

async function answer(response: ServerResponse, scripted: ProviderAnswer, number: number): Promise<void> {
  const { text, calls = [], status = 200 } = scripted;
  if (status !== 200) {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message: "The script refuses." } }));
    return;
  }
  const frame = (choice: object, usage?: object): void => {
    const chunk = { id: `chat-${number}`, object: "chat.completion.chunk", created: 1, model: "scripted" };
    response.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, ...choice }], usage })}\n\n`);
  };
  response.writeHead(200, { "content-type": "text/event-stream" });
  for await (const content of typeof text === "string" ? [text] : (text ?? [])) {
    if (response.destroyed) return;
    frame({ delta: { role: "assistant", content }, finish_reason: null });
  }
  calls.forEach(({ name, args }, index) => {
    const call = { index, id: `call_${number}_${index}`, type: "function" };
    const tool_calls = [{ ...call, function: { name, arguments: JSON.stringify(args) } }];
    frame({ delta: { role: "assistant", content: null, tool_calls }, finish_reason: null });
  });
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  frame({ delta: {}, finish_reason: calls.length === 0 ? "stop" : "tool_calls" }, usage);
  response.end("data: [DONE]\n\n");
}
