// The messages of a session that are not responses: the server sends changes of its list of tools, log messages, requests for texts, and
// questions; the client sends notifications.

import type {
  Client,
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestParams,
  ElicitResult,
  Progress,
  Transport,
} from "@modelcontextprotocol/client";
import { z } from "zod";

import type { ToolsContext } from "#core/ports/tool-source-port.ts";
import { fieldsOf, textOrJson } from "#lib/json-value.ts";

import { outsideText } from "../outside-text.ts";

/** The functions that a session calls. */
export interface SessionEvents {
  /** Called when the server's list of tools has changed. */
  onToolsChanged: () => void;
  /** Answers a server's request for a text from a model. Absent: the server may not send such requests. */
  // oxlint-disable-next-line typescript/no-deprecated -- the versions that are negotiated have sampling
  onSample?: (params: CreateMessageRequestParams) => Promise<CreateMessageResult>;
  /** Answers a server's question to a person. The signal fires if the server withdraws the question. Absent: the server may not ask. */
  onQuestion?: (params: ElicitRequestParams, signal: AbortSignal) => Promise<ElicitResult>;
  /** Called when the session ends without a call of `close`. */
  onEnd: () => void;
  /** The maximum number of the server's messages in the session. Default 20,000. */
  mostMessages?: number;
  /** The maximum number of requests among them, such as pings. Default 1000. */
  mostRequests?: number;
}

/** The maximum number of a server's log messages in a session that are logged. */
const mostLogLines = 50;

/** The maximum length of a log line's text. */
const logTextLimit = 500;

/** The parameters of a log message. Their fields are read in the handler, because some servers write the level in capitals. */
const logParams = z.looseObject({});

/** The levels of a server's log messages that are logged, as levels of the deployment's log. */
const logLevels: Partial<Record<string, "warning" | "error">> = {
  warning: "warning",
  warn: "warning",
  error: "error",
  critical: "error",
  alert: "error",
  emergency: "error",
};

/** The functions that receive the progress of requests, by the token of the request. */
export type ProgressReceivers = Map<unknown, (progress: Progress) => void>;

/**
 * Adds the handlers of a session's messages. Counts the messages and closes a session with too many, because a server may send messages
 * without end.
 */
export function watchSession(
  client: Client,
  transport: Transport,
  {
    name,
    log,
    events,
    receivers,
  }: { name: string; log: ToolsContext["log"]; events: SessionEvents; receivers: ProgressReceivers },
): void {
  const { mostMessages = 20_000, mostRequests = 1000 } = events;
  let messages = 0;
  let requests = 0;
  let lines = 0;
  transport.onmessage = (message) => {
    messages += 1;
    requests += "method" in message && "id" in message ? 1 : 0;
    if (messages === mostMessages || requests > mostRequests) void client.close();
  };
  // After its last attempt to continue a stream the SDK reports only this error, and the results of the stream's calls never arrive.
  client.onerror = ({ message }) => {
    if (message.startsWith("Maximum reconnection attempts")) void client.close();
  };
  const { onSample, onQuestion } = events;
  if (onSample !== undefined) client.setRequestHandler("sampling/createMessage", ({ params }) => onSample(params));
  if (onQuestion !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }, { mcpReq }) => onQuestion(params, mcpReq.signal));
  }
  client.setNotificationHandler("notifications/tools/list_changed", () => events.onToolsChanged());
  // In place of the handler of the SDK, which drops the progress of a task: it ends the progress of a request with its response.
  client.setNotificationHandler("notifications/progress", ({ params }) =>
    receivers.get(params.progressToken)?.(params),
  );
  client.setNotificationHandler("notifications/message", { params: logParams }, (params) => {
    const { level: given, data = null } = fieldsOf(params);
    const level = typeof given === "string" ? logLevels[given.toLowerCase()] : undefined;
    if (level === undefined) return;
    lines += 1;
    if (lines > mostLogLines) return;
    log(level, "mcp_message", { server: name, text: outsideText(textOrJson(data), logTextLimit) });
  });
}

/** Returns the set of the notifications that the transport is sending. It changes with each notification. */
export function sentNotifications(transport: Transport): Set<Promise<unknown>> {
  const open = new Set<Promise<unknown>>();
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
