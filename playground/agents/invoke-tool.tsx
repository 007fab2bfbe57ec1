// Calls a tool by hand: the thread that it works in, its arguments as a form made from its schema or as JSON, and its
// result. The last arguments are kept until the page is closed.

import { useEffect, useState } from "react";
import type { ReactElement } from "react";
import type { JsonObject } from "threadhold/client";
import { useThreads } from "threadhold/react";
import { useSearchParams } from "wouter";

import { Button } from "../kit/button.tsx";
import { SelectField } from "../kit/field.tsx";
import { ErrorNote } from "../kit/note.tsx";
import { FormOfSchema } from "../schema-form/form-of-schema.tsx";
import { useHidden } from "../threads/deletions.tsx";
import { useNameOf } from "../threads/thread-title.ts";
import type { Agent, Tool } from "./definition.ts";
import { InvokeResult } from "./invoke-result.tsx";
import { RunningTime } from "./running-time.tsx";
import { useInvocation } from "./use-invocation.ts";

import css from "./invoke.module.css";

interface InvokeToolProps {
  tool: Tool;
  /** All agents; those that have the tool come first. */
  agents: readonly Agent[];
}

export function InvokeTool({ tool, agents }: InvokeToolProps): ReactElement {
  const [search] = useSearchParams();
  const [thread, setThread] = useState<string | null>(search.get("thread"));
  const [agent, setAgent] = useState(agents[0]?.name ?? "");
  const { run, leave } = useInvocation(setThread);
  return (
    <div className={css["invoke"]}>
      <div className={css["where"]}>
        <ThreadChoice thread={thread} disabled={run.isPending} onChange={setThread} />
        {thread === null ? (
          <SelectField
            label="Agent of the new thread"
            value={agent}
            disabled={run.isPending}
            onChange={(event) => setAgent(event.target.value)}
          >
            {agents.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </SelectField>
        ) : null}
      </div>
      <FormOfSchema
        schema={tool.parameters}
        value={keptArguments(tool.name)}
        label={`Arguments of ${tool.name}`}
        onChange={(args) => keepArguments(tool.name, args)}
        onSubmit={(args) => {
          keepArguments(tool.name, args);
          run.mutate({ tool: tool.name, thread, agent, args });
        }}
      >
        <span className={css["buttons"]}>
          {run.isPending ? <Button onClick={leave}>Stop waiting</Button> : null}
          <Button kind="primary" type="submit" disabled={run.isPending || (thread === null && agent === "")}>
            Run {tool.name}
          </Button>
        </span>
      </FormOfSchema>
      {run.isPending ? <RunningTime /> : null}
      {run.error === null ? null : <ErrorNote title="The tool did not run" error={run.error} />}
      {run.data === undefined ? null : <InvokeResult invocation={run.data} />}
    </div>
  );
}

interface ThreadChoiceProps {
  thread: string | null;
  disabled: boolean;
  onChange: (thread: string | null) => void;
}

function ThreadChoice({ thread, disabled, onChange }: ThreadChoiceProps): ReactElement {
  const nameOf = useNameOf();
  const { threads, refresh } = useThreads({ limit: 50 });
  const hidden = useHidden();
  // A thread that a call has just created is not listed yet, so the list is loaded again.
  useEffect(() => refresh(), [thread, refresh]);
  const shown = threads.filter(({ id }) => !hidden.has(id));
  return (
    <SelectField
      label="Thread"
      value={thread ?? ""}
      disabled={disabled}
      onChange={({ target }) => onChange(target.value === "" ? null : target.value)}
      help="The tool reads and writes the files and messages of this thread. A call by hand adds a log entry and no message."
    >
      <option value="">A new thread</option>
      {thread === null || shown.some(({ id }) => id === thread) ? null : (
        <option value={thread}>Thread {thread.slice(0, 8)}</option>
      )}
      {shown.map((one) => (
        <option key={one.id} value={one.id}>
          {nameOf(one)} ({one.agent_id})
        </option>
      ))}
    </SelectField>
  );
}

/** The arguments last written for each tool, kept until the page is closed. */
const kept = new Map<string, JsonObject>();

/** The arguments last written for a tool; an empty object if there are none. */
function keptArguments(tool: string): JsonObject {
  return kept.get(tool) ?? {};
}

function keepArguments(tool: string, args: JsonObject): void {
  kept.set(tool, args);
}
