// What a server sends in a session besides responses: changes of its list of tools, and log messages. What the client sends besides requests:
// notifications.

import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  LoggingMessageNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { CreateMessageRequestParams, CreateMessageResult } from "@modelcontextprotocol/sdk/types.js";

import type { ToolsContext } from "#core/ports/tool-source-port.ts";

import { outsideText } from "./outside-text.ts";

/** What a session reports. */
export interface SessionEvents {
  /** The server's list of tools is another one now. */
  onToolsChanged: () => void;
  /** Answers a server that requests a text from a model. Absent: the server may not. */
  onSample?: (params: CreateMessageRequestParams) => Promise<CreateMessageResult>;
  /** The session ended without `close`. */
  onEnd: () => void;
}

/** Bounds of a session: messages from the server, and lines that it writes to the log. */
const mostMessages = 20_000;
const mostLogLines = 50;

/** The maximum length of a log line's text. */
const logTextLimit = 500;

/** The levels of a server's log messages that are logged, as levels of the deployment's log. */
const logLevels: Partial<Record<string, "warning" | "error">> = {
  warning: "warning",
  error: "error",
  critical: "error",
  alert: "error",
  emergency: "error",
};

/** Connects the session's events. Counts messages, because a server may send them without end. */
export function watchSession(
  client: Client,
  transport: Transport,
  { name, log, events }: { name: string; log: ToolsContext["log"]; events: SessionEvents },
): void {
  let messages = 0;
  let lines = 0;
  transport.onmessage = () => {
    messages += 1;
    if (messages === mostMessages) void client.close();
  };
  // The SDK has given up to continue a stream, so the results of its calls are lost.
  client.onerror = ({ message }) => {
    if (message.startsWith("Maximum reconnection attempts")) void client.close();
  };
  const { onSample } = events;
  if (onSample !== undefined) client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => onSample(params));
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => events.onToolsChanged());
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    const level = logLevels[params.level];
    lines += 1;
    if (level === undefined || lines > mostLogLines) return;
    const text = typeof params.data === "string" ? params.data : JSON.stringify(params.data ?? null);
    log(level, "mcp_message", { server: name, text: outsideText(text, logTextLimit) });
  });
}

/** The notifications that the transport is sending. */
export function sentNotifications(transport: Transport): Set<Promise<void>> {
  const open = new Set<Promise<void>>();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const sent = send(message, options);
    if (!("id" in message)) {
      open.add(sent);
      const done = () => open.delete(sent);
      sent.then(done, done);
    }
    return sent;
  };
  return open;
}
