// The facts of a prompt on its page: its text with the prompts that it includes, the part of the history that its model
// receives, the arguments of a call, and the schema of its answer.

import type { ReactElement } from "react";
import type { Json } from "threadhold/client";

import { Facts, Part } from "./definition-facts.tsx";
import { DefinitionLink } from "./definition-link.tsx";
import type { DefinitionSet, Prompt } from "./definition.ts";
import { fieldOf } from "./relations.ts";
import { SchemaTable } from "./schema-table.tsx";
import { PromptSources } from "./source-list.tsx";

import css from "./definition.module.css";

interface PromptFactsProps {
  prompt: Prompt;
  set: DefinitionSet;
}

export function PromptFacts({ prompt, set }: PromptFactsProps): ReactElement {
  const {
    model,
    includeChat,
    includePastTools,
    parallelToolCalls,
    toolChoice,
    reasoning,
    recentImageThreshold,
    skills,
  } = prompt;
  return (
    <>
      <Part title="Text">
        <PromptText text={prompt.prompt} prompts={set.prompts} within={[prompt.name]} />
      </Part>
      <Part title="Prompt">
        <Facts
          facts={[
            ["Model", <DefinitionLink key="model" kind="model" name={model} />],
            ["Messages of earlier runs", includeChat ? "sent" : "not sent"],
            ["Tool calls of earlier runs", includePastTools ? "sent" : "not sent"],
            ["Tool calls of a step", parallelToolCalls ? "in parallel" : "one after the other"],
            ["Tool choice", toolChoiceWords[toolChoice]],
            ["Skills", skills === null ? null : skills === true ? "all" : skills.join(", ")],
            ["Images", `of the last ${recentImageThreshold} messages`],
            ["Thinking", reasoning === null ? null : thinkingOf(reasoning)],
          ]}
        />
      </Part>
      <PromptSources prompt={prompt} set={set} />
      {prompt.requiredSchema === null ? null : (
        <Part title="Arguments of a call">
          <SchemaTable schema={prompt.requiredSchema} label={`Arguments of ${prompt.name}`} />
        </Part>
      )}
      {prompt.structure === null ? null : (
        <Part title={answerTitle(prompt.structure)}>
          <SchemaTable schema={prompt.structure} label={`Structured answer of ${prompt.name}`} />
        </Part>
      )}
    </>
  );
}

function answerTitle({ title }: NonNullable<Prompt["structure"]>): string {
  return typeof title === "string" ? `Structured answer: ${title}` : "Structured answer";
}

const toolChoiceWords = {
  auto: "the model decides",
  none: "the model must not call tools",
  required: "the model must call a tool",
} as const;

function thinkingOf({ effort, maxTokens, exclude, include }: NonNullable<Prompt["reasoning"]>): string {
  const words = [
    effort === null ? null : `${effort} effort`,
    maxTokens === null ? null : `at most ${maxTokens} tokens`,
    exclude ? "not shown" : null,
    include ? "kept for later runs" : null,
  ];
  return words.filter((word) => word !== null).join(", ") || "as the model does by default";
}

interface PromptTextProps {
  text: Json;
  prompts: readonly Prompt[];
  /** Names of the prompts that include this text, the outermost first, and its own name. */
  within: readonly string[];
}

/** The text of a prompt, with the texts of included prompts in their places. */
function PromptText({ text, prompts, within }: PromptTextProps): ReactElement {
  const parts = Array.isArray(text) ? text : [{ type: "text", content: text }];
  return (
    <div className={css["text"]}>
      {parts.map((part, at) => {
        const name = fieldOf(part, "prompt");
        if (fieldOf(part, "type") !== "include" || typeof name !== "string") {
          const content = fieldOf(part, "content");
          return typeof content === "string" && content.trim() !== "" ? <pre key={at}>{content.trim()}</pre> : null;
        }
        const included = prompts.find((prompt) => prompt.name === name);
        return (
          <div key={at} className={css["included"]}>
            <DefinitionLink kind="prompt" name={name} />
            {included === undefined || within.includes(name) ? null : (
              <PromptText text={included.prompt} prompts={prompts} within={[...within, name]} />
            )}
          </div>
        );
      })}
    </div>
  );
}
