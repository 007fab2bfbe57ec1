// Types of images: one that an API does not accept would make it refuse the whole request, in that run and in every later one.

import { expect, it } from "vitest";

import { pngBytes } from "../support/memory-files.ts";
import { message, user } from "./ask-model.ts";
import { overHttp } from "./http-request.ts";

const data = Buffer.from(pngBytes()).toString("base64");
const call = message("assistant", {
  parts: [{ type: "tool_call", id: "toolu_01AAAA", name: "draw", arguments: {} }],
});

const types = [
  ["image/png", "image/png"],
  ["image/jpg", "image/jpeg"],
  ["image/webp", "image/webp"],
  ["image/svg+xml", null],
  ["image/bmp", null],
  ["image/heic", null],
] as const;

it.for(
  (["anthropic", "vertex-claude"] as const).flatMap((provider) => types.map((row) => [...row, provider] as const)),
)(
  "An image of the type %s is sent to Anthropic as %s, or as a line that names it (provider %s)",
  async ([mime_type, type, provider]) => {
    const image = { type: "image", mime_type, data, name: "drawing" } as const;
    const messages = [
      message("user", { id: "01900000-0000-7000-8000-000000000002", parts: [{ type: "text", text: "Look." }, image] }),
      call,
      message("tool", {
        name: "draw",
        tool_call_id: "toolu_01AAAA",
        result: { status: "success", result: "drawn" },
        parts: [{ type: "text", text: "drawn" }, image],
      }),
      user("And?"),
    ];
    const tools = [{ name: "draw", description: "Draws", parameters: { type: "object", properties: {} } }];
    const body = JSON.stringify((await overHttp(provider, { messages, tools })).body);
    expect(body.split('"type":"image"').length - 1).toBe(type === null ? 0 : 2);
    if (type === null) expect(body.split("drawing").length).toBe(3);
    else expect(body).toContain(`"media_type":"${type}"`);
  },
);
