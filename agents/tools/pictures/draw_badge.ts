// Returns a file. The thread stores the entries of `attachments` under /attachments/ and links them to the result.

import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool(
  "Draw a badge, a small picture with a few words on it.",
  z.object({
    text: z.string().min(1).max(24).describe("The words on the badge"),
    colour: z.enum(["teal", "crimson", "indigo"]).default("teal"),
  }),
  async (_state, { text, colour }) => {
    const width = 40 + text.length * 9;
    const svg =
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="32">` +
      `<rect width="100%" height="100%" rx="6" fill="${colour}"/>` +
      `<text x="50%" y="21" text-anchor="middle" font-family="monospace" fill="white">${escapeXml(text)}</text></svg>`;
    return {
      status: "success",
      result: `Drew the badge "${text}" in ${colour}.`,
      attachments: [{ name: "badge.svg", mimeType: "image/svg+xml", data: base64(svg), width, height: 32 }],
    };
  },
);

function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (character) => `&#${character.codePointAt(0)};`);
}

function base64(text: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
}
