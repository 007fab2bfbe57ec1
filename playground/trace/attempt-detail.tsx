// The detail of a model request: its figures, the request as the server rebuilds it, and the response, formatted and
// raw.

import { useQuery } from "@tanstack/react-query";
import type { ReactElement, ReactNode } from "react";
import type { Json, JsonObject, Log, Message, ThreadHandle } from "threadhold/client";

import { JsonView } from "../conversation/json-view.tsx";
import { duration } from "../kit/duration.ts";
import { count, money } from "../kit/figures.ts";
import { fieldsOf, listOf, textOf } from "../kit/json-value.ts";
import { ErrorNote, LoadingNote } from "../kit/note.tsx";
import { MessageText } from "./message-text.tsx";
import { nextStepOf } from "./node-label.ts";
import type { RunSnapshot } from "./run-feed.ts";
import { Facts } from "./trace-facts.tsx";
import type { AttemptNode, TraceNode } from "./trace-node.ts";

import css from "./trace-detail.module.css";

interface AttemptDetailProps {
  node: AttemptNode;
  siblings: readonly TraceNode[];
  handle: ThreadHandle;
  snapshot: RunSnapshot;
}

export function AttemptDetail({ node, siblings, handle, snapshot }: AttemptDetailProps): ReactElement {
  const { log_id } = node;
  const log = useQuery({
    queryKey: ["log", handle.id, log_id],
    queryFn: ({ signal }) => handle.logs.get(log_id ?? "", { signal }),
    enabled: log_id !== null,
    staleTime: Infinity,
  });
  const followed = nextStepOf(siblings, node);
  return (
    <>
      {node.error === null ? null : (
        <p className={node.state === "stopped" ? css["words"] : css["wrong"]}>
          <code>{node.error.code}</code>: {node.error.message}
        </p>
      )}
      {followed === null ? null : <p className={css["words"]}>{followed}</p>}
      <Facts facts={[...factsOf(node), ...gatewayFacts(log.data)]} />
      {log_id === null ? (
        <p className={css["words"]}>
          {node.end === null
            ? "The request is in the log when its step has ended."
            : "The log has no entry for this attempt."}
        </p>
      ) : null}
      {log.error === null ? null : (
        <ErrorNote title="The log entry could not be read" error={log.error} onRetry={() => void log.refetch()} />
      )}
      {log.isLoading ? <LoadingNote what="the request" /> : null}
      {log.data === undefined ? null : <Request log={log.data} />}
      <Response node={node} snapshot={snapshot} raw={log.data?.data["raw"]} />
    </>
  );
}

/** The id of the entry in the log of an AI Gateway, by which the gateway's dashboard finds the request. */
function gatewayFacts(log: Log | undefined): [string, string][] {
  const id = textOf(log?.data["gateway_log_id"]);
  return id === null ? [] : [["Entry in the gateway's log", id]];
}

function factsOf(node: AttemptNode): [string, string][] {
  const { provider, model_id, attempt, latency_ms, first_token_ms, usage, cost, stop_reason, estimated } = node;
  const tokens = (of: "input" | "output" | "cache_read" | "cache_write"): string =>
    usage === null ? "–" : `${count(usage[of])}${estimated ? " (estimated)" : ""}`;
  return [
    ["Model", [provider, model_id ?? node.model].filter((word) => word !== null).join(" / ")],
    ["Attempt", String(attempt)],
    ["Duration", latency_ms === null ? "running" : duration(latency_ms)],
    ["Time to first token", first_token_ms === null ? "–" : duration(first_token_ms)],
    ["Input tokens", tokens("input")],
    ["Output tokens", tokens("output")],
    ["Cache read", tokens("cache_read")],
    ["Cache write", tokens("cache_write")],
    ["Cost", usage === null ? "–" : money(cost)],
    ["Stop reason", stop_reason?.replaceAll("_", " ") ?? "–"],
  ];
}

/** The request, as the log row has it and the server rebuilds it. */
interface Rebuilt {
  system: string | null;
  changed: string | null;
  messages: readonly Message[];
  tools: readonly Json[];
  settings: JsonObject;
  prompt: string;
}

function rebuiltOf({ data }: Log): Rebuilt {
  const rebuilt = fieldsOf(data["rebuilt"]);
  const { prompt, temperature, max_tokens, reasoning, tool_choice, parallel_tool_calls } = fieldsOf(data["request"]);
  const settings = { temperature, max_tokens, reasoning, tool_choice, parallel_tool_calls };
  const known = Object.entries(settings).filter((entry): entry is [string, Json] => entry[1] !== undefined);
  return {
    system: textOf(rebuilt["system"]),
    changed: textOf(rebuilt["system_changed"]),
    // The server builds these from its stored messages.
    messages: listOf(rebuilt["messages"]) as unknown as Message[],
    tools: listOf(rebuilt["tools"]),
    settings: Object.fromEntries(known),
    prompt: textOf(prompt) ?? "",
  };
}

function Request({ log }: { log: Log }): ReactElement {
  const { system, changed, messages, tools, settings, prompt } = rebuiltOf(log);
  return (
    <Part title="Request" open>
      <p className={css["words"]}>
        Prompt <code>{prompt}</code>, {messages.length} {messages.length === 1 ? "message" : "messages"}
        {tools.length === 0 ? ", no tools" : ""}
      </p>
      {changed === null ? null : <p className={css["wait"]}>{changed}</p>}
      {system === null || system === "" ? null : <JsonView label="System" value={system} />}
      <ol className={css["messages"]} aria-label="Messages">
        {messages.map((message) => (
          <li key={message.id}>
            <MessageText message={message} />
          </li>
        ))}
      </ol>
      {tools.length === 0 ? null : <JsonView label="Tools" value={tools.map(String).join("\n")} />}
      <JsonView label="Settings" value={settings} />
    </Part>
  );
}

interface ResponseProps {
  node: AttemptNode;
  snapshot: RunSnapshot;
  raw: Json | undefined;
}

function Response({ node, snapshot, raw }: ResponseProps): ReactElement {
  const { message_id } = node;
  const message = message_id === null ? null : messageOf(snapshot, message_id);
  return (
    <>
      <Part title="Response" open>
        {message === null ? (
          <p className={css["words"]}>{node.end === null ? "The answer is being written." : "No answer was stored."}</p>
        ) : (
          <MessageText message={message} />
        )}
      </Part>
      {typeof raw === "string" && raw !== "" ? (
        <Part title="Raw response of the provider">
          <JsonView label="Raw" value={raw} />
        </Part>
      ) : null}
    </>
  );
}

function messageOf({ entries }: RunSnapshot, id: string): Message | null {
  for (const { event } of entries) if (event.type === "message_end" && event.message.id === id) return event.message;
  return null;
}

/** A section that folds. */
function Part({ title, open = false, children }: { title: string; open?: boolean; children: ReactNode }): ReactElement {
  return (
    <details className={css["part"]} open={open}>
      <summary>{title}</summary>
      <div className={css["inside"]}>{children}</div>
    </details>
  );
}
