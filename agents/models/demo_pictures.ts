// Plays a model with vision: it receives the bytes of recent images and reports what it received.

import { defineModel } from "threadhold";
import type { TestRequest, TestTurn } from "threadhold";

import { call, say } from "../lib/scripted.ts";

export default defineModel({
  name: "demo_pictures",
  provider: "test",
  model: "demo_pictures",
  inputPrice: 0,
  outputPrice: 0,
  // With `false` every image would reach the model as a line of text.
  capabilities: { vision: true },
  script: answer,
});

function answer({ messages, lastUser }: TestRequest): TestTurn {
  const last = messages.at(-1);
  if (last?.role === "tool") return say(last.content.replace(/\n\[image: .*?, (\/\S+?);.*$/, " It is $1."));
  const words = /\bbadge\b.*?(?:with|saying|:)\s+"?([^"]+?)"?[.!]?$/i.exec(lastUser)?.[1];
  if (words !== undefined) return call("draw_badge", { text: words.slice(0, 24) });
  const images = messages.flatMap(({ attachments = [] }) => attachments);
  const seen = images.map(({ path, mimeType, size }) => `${path?.split("/").at(-1)} (${mimeType}, ${size} bytes)`);
  if (seen.length > 0) return say(`I was sent ${seen.join(" and ")}. A real model would tell you what is on it.`);
  const older = messages.map(({ content }) => /\[image: (.+?),/.exec(content)?.[1]).find((name) => name !== undefined);
  return older === undefined
    ? say('Attach an image and ask me about it, or say: Draw a badge with "Well done".')
    : say(`I no longer see ${older}: it is too many messages ago. Attach it again.`);
}
