// A tool that the provider of the model executed: its input, its result, and the pages in its result. It is collapsed.

import { memo } from "react";
import type { ReactElement } from "react";
import type { Json, Message } from "threadhold/client";

import { SourceList, sourcesIn } from "./cited-pages.tsx";
import { JsonView } from "./json-view.tsx";

import css from "./tool-call.module.css";

type Part = Extract<Message["parts"][number], { type: "provider_tool" }>;

export const ProviderTool = memo(function ProviderTool({ part, live }: { part: Part; live: boolean }): ReactElement {
  const { name, input, output, is_error: isError } = part;
  const open = live ? "running" : "waiting";
  const state = output === undefined ? open : isError === true ? "error" : "success";
  return (
    <details className={css["call"]} data-state={state} data-provider-tool={name}>
      <summary className={css["summary"]}>
        <span className={css["mark"]} aria-hidden="true" />
        <code className={css["name"]}>{name}</code>
        <span className={css["brief"]}>{briefOf(input)}</span>
        <span className={css["inside"]}>by the provider</span>
        <span className={css["state"]}>{stateText[state]}</span>
      </summary>
      <div className={css["detail"]}>
        <JsonView label="Input" value={input} />
        {output === undefined ? null : <JsonView label={isError === true ? "Error" : "Result"} value={output} />}
        <SourceList sources={sourcesIn(output ?? null)} />
      </div>
    </details>
  );
});

const stateText = { running: "Running", waiting: "No result", error: "Failed", success: "Done" } as const;

/** The first text in the input, such as a query. */
function briefOf(input: Json): string {
  if (typeof input !== "object" || input === null) return "";
  const texts = Object.values(input)
    .flat()
    .filter((value) => typeof value === "string");
  return texts.at(-1)?.slice(0, 200) ?? "";
}
