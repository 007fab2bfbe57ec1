// A model whose long answer is read from its connection piece by piece.

import { createProvider } from "#facade/upp/create-provider.ts";
import type { ModelReference } from "#facade/upp/model-reference.ts";

/** A model of Anthropic's protocol whose answer has many deltas. `sent` counts those that were read from the connection. */
export function longAnswer(deltas: number): { model: ModelReference; sent: () => number } {
  let sent = 0;
  const event = (data: { type: string; [field: string]: unknown }) =>
    new TextEncoder().encode(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  const fetch = () => {
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          controller.enqueue(event({ type: "message_start", message }));
          controller.enqueue(
            event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
          );
        },
        pull(controller) {
          if (sent < deltas) {
            sent += 1;
            controller.enqueue(
              event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "x" } }),
            );
            return;
          }
          controller.enqueue(event({ type: "content_block_stop", index: 0 }));
          controller.enqueue(
            event({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 9 } }),
          );
          controller.enqueue(event({ type: "message_stop" }));
          controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
  };
  const provider = createProvider({ protocol: "anthropic", apiKey: "key", fetch: fetch as typeof globalThis.fetch });
  return { model: provider("m"), sent: () => sent };
}
