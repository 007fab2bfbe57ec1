// The panel of a thread's context: the parts of the next request with their tokens, next to the window of the model.

import { useRef } from "react";
import type { ReactElement } from "react";
import type { MessageView, ThreadContext, ThreadHandle } from "threadhold/client";

import { DefinitionLink } from "../../agents/definition-link.tsx";
import { IconButton } from "../../kit/button.tsx";
import { count } from "../../kit/figures.ts";
import { ErrorNote, LoadingNote } from "../../kit/note.tsx";
import { useFocusAfterRemoval } from "../../kit/use-focus-after-removal.ts";
import { previewText } from "../../threads/preview-text.ts";
import { largestMessages, lastPromptTokens, partsOf } from "./request-parts.ts";
import { useThreadContext } from "./use-thread-context.ts";

import css from "./context-panel.module.css";

interface ContextPanelProps {
  handle: ThreadHandle;
  /** The loaded messages of the conversation. */
  messages: readonly MessageView[];
  /** Shows a message in the conversation. */
  onShow: (id: string) => void;
  onClose: () => void;
}

export function ContextPanel({ handle, messages, onShow, onClose }: ContextPanelProps): ReactElement {
  const { data, error, refetch } = useThreadContext(handle, true);
  const panel = useRef<HTMLElement>(null);
  useFocusAfterRemoval(panel, () => document.getElementById("turn-context"));
  return (
    <aside ref={panel} className={css["panel"]} aria-label="Context">
      <header className={css["head"]}>
        <h2 className={css["title"]}>Context</h2>
        <span className={css["figure"]}>{data === undefined ? "" : `${count(data.tokens)} tokens`}</span>
        <IconButton icon="close" label="Hide context" onClick={onClose} />
      </header>
      {/* A scrollable element has to be reachable by keyboard. */}
      <div className={css["body"]} tabIndex={0} role="group" aria-label="Parts of the next request">
        {error === null ? null : (
          <ErrorNote title="The context could not be read" error={error} onRetry={() => void refetch()} />
        )}
        {data === undefined ? (
          error === null ? (
            <LoadingNote what="the context" />
          ) : null
        ) : (
          <>
            <Size context={data} counted={lastPromptTokens(messages)} />
            <Parts context={data} />
            <Omitted context={data} />
            <Tools context={data} />
            <Largest context={data} messages={messages} onShow={onShow} />
          </>
        )}
      </div>
    </aside>
  );
}

/** The size of the request, its limits, and the size of the last request. */
function Size({ context, counted }: { context: ThreadContext; counted: number | null }): ReactElement {
  const { prompt, model, window, budget, tokens } = context;
  const limit = window ?? budget;
  const share = limit === null ? null : `${Math.round((100 * tokens) / limit)} %`;
  return (
    <>
      <p className={css["text"]}>
        The next request to <DefinitionLink kind="model" name={model} /> with the prompt{" "}
        <DefinitionLink kind="prompt" name={prompt} />, without queued messages. Tokens are estimated.
      </p>
      {limit === null ? null : (
        <div
          className={css["meter"]}
          role="meter"
          aria-label="Tokens of the next request"
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(tokens, limit)}
          aria-valuetext={`${count(tokens)} of ${count(limit)} tokens, ${share}`}
        >
          <span className={css["fill"]} style={{ width: `${Math.min(100, (100 * tokens) / limit)}%` }} />
          {budget === null || window === null ? null : (
            <span className={css["budget"]} style={{ left: `${Math.min(100, (100 * budget) / window)}%` }} />
          )}
        </div>
      )}
      <dl className={css["facts"]}>
        <Fact name="Next request" value={`${count(tokens)} tokens${share === null ? "" : `, ${share}`}`} />
        <Fact name="Window of the model" value={window === null ? "unknown" : `${count(window)} tokens`} />
        <Fact name="Compacted above" value={budget === null ? "no limit" : `${count(budget)} tokens`} />
        {counted === null ? null : (
          <Fact name="Last request" value={`${count(counted)} tokens, counted by the provider`} />
        )}
      </dl>
    </>
  );
}

function Fact({ name, value }: { name: string; value: string }): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function Parts({ context }: { context: ThreadContext }): ReactElement {
  return (
    <table className={css["table"]}>
      <caption className="visually-hidden">Parts of the next request</caption>
      <thead>
        <tr>
          <th scope="col">Part</th>
          <th scope="col">Number</th>
          <th scope="col">Tokens</th>
        </tr>
      </thead>
      <tbody>
        {partsOf(context).map(({ name, number, tokens }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{number === null ? "" : count(number)}</td>
            <td>{count(tokens)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What the request does not contain of the conversation. */
function Omitted({ context: { dropped, messages } }: { context: ThreadContext }): ReactElement | null {
  const shortened = messages.filter((message) => message.shortened).length;
  if (dropped === 0 && shortened === 0) return null;
  return (
    <p className={css["text"]}>
      {dropped === 0 ? "" : `${numberOf(dropped, "message")} of the conversation ${isAre(dropped)} no longer sent. `}
      {shortened === 0 ? "" : `${numberOf(shortened, "message")} ${isAre(shortened)} sent shortened.`}
    </p>
  );
}

function numberOf(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}

function isAre(number: number): string {
  return number === 1 ? "is" : "are";
}

function Tools({ context: { tools } }: { context: ThreadContext }): ReactElement | null {
  if (tools.length === 0) return null;
  const sorted = tools.toSorted((one, other) => other.tokens - one.tokens);
  return (
    <details className={css["list"]}>
      <summary>Tools ({tools.length})</summary>
      <ul>
        {sorted.map(({ name, tokens }) => (
          <li key={name}>
            <code>{name}</code>
            <span className={css["tokens"]}>{count(tokens)}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The messages with the most tokens. One that is loaded has a button that shows it. */
function Largest({
  context,
  messages,
  onShow,
}: { context: ThreadContext } & Pick<ContextPanelProps, "messages" | "onShow">): ReactElement | null {
  const largest = largestMessages(context);
  if (largest.length === 0) return null;
  return (
    <section className={css["list"]} aria-labelledby="largest-messages">
      <h3 id="largest-messages">Largest messages</h3>
      <ol>
        {largest.map(({ id, role, tokens }) => {
          const text = previewText(messages.find((message) => message.id === id)?.content ?? "");
          return (
            <li key={id}>
              <button type="button" className={css["message"]} title="Show this message" onClick={() => onShow(id)}>
                {roleNames[role]}
                {text === "" ? "" : `: ${text}`}
              </button>
              <span className={css["tokens"]}>{count(tokens)}</span>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

const roleNames = { user: "User", assistant: "Answer", tool: "Tool result", system: "System" } as const;
