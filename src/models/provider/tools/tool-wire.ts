// The interface of a protocol's tools that the provider executes itself: how requests offer them, and how their blocks are read from chunks. The blocks are
// read and sent as the provider wrote them. The packages of the AI SDK validate them by schemas of their own, and drop some of them from requests.

import type { AnswerSource } from "#core/ports/model-port.ts";
import { fieldsOf, isObject, listOf, type Fields } from "#lib/json-value.ts";
import type { ModelProviderTool } from "#spec/index.ts";

import type { CallTarget } from "../provider-profile.ts";

/** The most bytes of the blocks of one call that are stored. A call with more is sent back as the text that is shown. */
export const mostStored = 512 * 1024;

/** A change of one call in a chunk. */
export interface ToolEvent {
  type: "begin" | "end";
  /** The provider's id of the call. */
  id: string;
  name?: string;
  input?: unknown;
  output?: unknown;
  isError?: boolean;
  /** The block of the call, and the block of its result, as later requests send them back. */
  call?: Fields;
  result?: Fields;
  /** The package has a part for the event, which shows its position among the texts of its chunk. */
  isOrdered?: true;
  sources?: readonly Partial<Record<keyof AnswerSource, unknown>>[];
  /** An image that the tool created, in base64. */
  image?: { mimeType: string; data: string };
}

/** Reads the chunks of one answer. */
export interface ToolReader {
  read: (chunk: Fields) => ToolEvent[];
  /** Returns what the answer had in addition to its blocks, at its end. Absent: nothing. */
  end?: () => ToolEvent[];
}

/** The tools of one protocol. */
export interface ToolWire {
  createReader: () => ToolReader;
  /** A call is sent back only with its result. */
  needsResult: boolean;
  /** Whether a stored block is one of a tool. Blocks of an imported thread are not proven. */
  isBlock: (block: Fields) => boolean;
  /** Returns why a request cannot have the tools; null if it can. Absent: each request can. */
  refusal?: (target: CallTarget, hasFunctions: boolean) => string | null;
  /** The name of a tool in the list that has the names of functions too. Absent: tools have no names there. */
  nameOf?: (tool: ModelProviderTool) => string;
  /** Adds the tools to the body of a request. */
  addTools: (body: Fields, tools: readonly ModelProviderTool[], target: CallTarget) => Fields;
  /** Replaces the texts of answers that stand for blocks. */
  replaceTexts: (body: Fields, blocksOf: (text: unknown) => Fields[] | undefined) => Fields;
  /** Returns the values of the header for features in beta. Absent: none. */
  betas?: (tools: readonly ModelProviderTool[]) => string[];
}

/** The items of a list, each of them replaced if `replace` returns a list. */
export function replaced(list: unknown, replace: (item: Fields) => unknown[] | undefined): unknown[] {
  return listOf(list).flatMap((item) => (isObject(item) ? replace(item) : undefined) ?? [item]);
}

/** The messages of a list with the blocks of answers replaced. `role` is that of an answer, `name` the field with its blocks. */
export function replacedIn(
  messages: unknown,
  { role, name }: { role: string; name: string },
  replace: (item: Fields) => unknown[] | undefined,
): unknown[] {
  return listOf(messages).map((message) => {
    const fields = fieldsOf(message);
    const isAnswer = fields["role"] === role && Array.isArray(fields[name]);
    return isAnswer ? { ...fields, [name]: replaced(fields[name], replace) } : message;
  });
}
