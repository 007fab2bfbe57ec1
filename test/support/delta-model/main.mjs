// A model server for chat completions, in a process of its own. The message `deltas 1000` is answered with that many
// deltas, `pause 2` waits that many milliseconds between two of them, `length 500` sets the length of each. Without a
// pause they are sent as fast as the reader takes them. The server sends its address over the channel to its parent
// process, and ends with that process. It refuses requests that break the rules of the protocol.

import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as pass } from "node:timers/promises";

import { BrokenRequests } from "../wire-rules/request-problems.mjs";

const broken = new BrokenRequests();

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") process.send?.(`http://127.0.0.1:${String(address?.port)}`);
});
process.on("disconnect", () => process.exit(0));

function numberIn(text, name) {
  return Number(new RegExp(`${name} (\\d+)`).exec(text)?.[1] ?? 0);
}

function frame(choice, usage) {
  const chunk = { id: "crowd", object: "chat.completion.chunk", created: 1, model: "streaming" };
  return `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, finish_reason: null, ...choice }], usage })}\n\n`;
}

async function answer(request, response) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const requested = Buffer.concat(chunks).toString("utf8");
  const refusal = broken.check("openai", { path: request.url, body: JSON.parse(requested), headers: request.headers });
  if (refusal !== null) return response.writeHead(400).end(JSON.stringify(refusal));
  const [deltas, pause, length] = [
    numberIn(requested, "deltas"),
    numberIn(requested, "pause"),
    numberIn(requested, "length"),
  ];
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let index = 0; index < deltas; index += 1) {
    const content = `${`word${String(index)}`.padEnd(length, ".")} `;
    const taken = response.write(frame({ delta: { role: "assistant", content } }));
    if (!taken) await once(response, "drain");
    if (pause > 0) await pass(pause);
  }
  const usage = { prompt_tokens: 10, completion_tokens: deltas, total_tokens: 10 + deltas };
  response.end(`${frame({ delta: {}, finish_reason: "stop" }, usage)}data: [DONE]\n\n`);
}
