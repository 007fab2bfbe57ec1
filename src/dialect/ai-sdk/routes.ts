// The routes of AI SDK UI. `useChat` with its default transport posts to the chat's address and resumes at `<address>/<chat id>/stream`.

import { z } from "zod";

import type { BuiltInRoute, RouteGroup } from "#contract/built-in-route.ts";
import { jsonSchema } from "#contract/json.ts";

const mib = 1024 * 1024;

/** A part of a message, such as `{type: "text", text}`. */
const partSchema = z.looseObject({ type: z.string() });

/** A message of AI SDK UI: text, reasoning, tool calls with their outputs, files and data as parts. */
const uiMessageSchema = z.object({
  id: z.string(),
  role: z.enum(["user", "assistant", "system"]),
  parts: z.array(partSchema),
  metadata: jsonSchema.optional(),
});
/** A message of AI SDK UI. */
export type UiMessage = z.infer<typeof uiMessageSchema>;
/** A part of a message of AI SDK UI. */
export type UiPart = z.infer<typeof partSchema>;

/** The request of the default transport. Of its messages only the new one is used (`posted-input.ts`). */
const chatRequestSchema = z.strictObject({
  /** The chat's id in the client. The server ignores it, because the path names the thread. */
  id: z.string().max(1000).optional(),
  messages: z.array(z.unknown()).min(1),
  trigger: z.enum(["submit-message", "regenerate-message"]).default("submit-message"),
  /** The message that was edited, or whose calls are answered. */
  messageId: z.string().max(1000).optional(),
});
/** The request that the default transport posts. */
export type ChatRequest = z.infer<typeof chatRequestSchema>;

const aiSdkRoutes = {
  aiSdkChat: {
    method: "POST",
    path: "/api/ai-sdk/threads/:id/chat",
    summary:
      "Takes a new user message, or outputs and approvals of tool calls, and streams the answer as a UI message stream. " +
      "Earlier messages in the request are ignored",
    tag: "ai-sdk",
    access: "user",
    body: chatRequestSchema,
    bodyLimit: 8 * mib,
    uncheckedBody: () => true,
    answers: { 200: null },
    stream: "negotiated",
  },
  aiSdkResume: {
    method: "GET",
    path: "/api/ai-sdk/threads/:id/chat/:chat_id/stream",
    summary: "Streams the answer that is under way from its beginning; 204 if there is none",
    tag: "ai-sdk",
    access: "user",
    answers: { 200: null, 204: null },
    stream: "negotiated",
  },
  aiSdkMessages: {
    method: "GET",
    path: "/api/ai-sdk/threads/:id/messages",
    summary: "The conversation as UI messages, to begin a chat with",
    tag: "ai-sdk",
    access: "user",
    answers: { 200: z.array(uiMessageSchema) },
  },
} as const satisfies Record<string, BuiltInRoute<"ai-sdk">>;

export const aiSdkGroup = {
  name: "ai-sdk",
  description: "Threads as chats of AI SDK UI: `useChat` of `ai` 6 with its default transport.",
  routes: aiSdkRoutes,
} as const satisfies RouteGroup;
