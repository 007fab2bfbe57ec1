// Tools that list and read the resources and prompts of a server. They exist if the definition requests them and the server declares the
// capability. Lists and results are read one element at a time (`read-items.ts`).

import type { ServerCapabilities } from "@modelcontextprotocol/client";

import type { Json, JsonObject } from "#contract/json.ts";
import type { ToolAnswer } from "#core/record/awaited.ts";
import { fieldsOf, isObject, listOf } from "#lib/json-value.ts";
import type { Fields } from "#lib/json-value.ts";
import type { AnyMcpServerDefinition } from "#spec/index.ts";

import { outsideText } from "../outside-text.ts";
import { line, omittedLines, readBlocks, readResources } from "./content-parts.ts";
import type { ContentPart } from "./content-parts.ts";
import { cursorIn, neededText, readItems, textIn } from "./read-items.ts";
import { isRequestFailure } from "./server-error.ts";
import type { ServerSession } from "./server-session.ts";
import type { ListedTool } from "./tool-list.ts";

/** The name of a tool that sends a request other than `tools/call`. */
export type Feature = keyof typeof features;

interface FeatureTool {
  /** The capability that the server has to declare, and the field of the definition that has to be true. */
  needs: "resources" | "prompts";
  description: (server: string) => string;
  parameters: JsonObject;
  run: (session: ServerSession, args: JsonObject, signal: AbortSignal) => Promise<ToolAnswer>;
}

/** The maximum length of a description in a list. */
const descriptionLimit = 300;

/** The maximum number of elements of a list that are read, and of the arguments of a prompt that are shown. */
const mostRows = 1000;
const mostArguments = 100;

/** The maximum lengths of an address and of the name of a prompt, which a call has to repeat. */
const uriLimit = 500;
const nameLimit = 300;

const cursor: JsonObject = {
  type: "object",
  properties: { cursor: { type: "string", description: "The position after which the list continues." } },
};

const features = {
  list_resources: {
    needs: "resources",
    description: (server) => `Lists the resources of "${server}": addresses that read_resource reads.`,
    parameters: cursor,
    run: async (session, args, signal) => {
      const params = pageOf(args);
      const listed = await session.request({ method: "resources/list", params }, { signal });
      const resources = rowsOf(listed, session, {
        list: "resources",
        kind: "resource",
        row: (item) => row(neededText(item, "uri", uriLimit), [name(item), textIn(item, "mimeType"), about(item)]),
      });
      const templates = "cursor" in params ? nothing : await templatesOf(session, signal);
      return list([resources, templates], cursorIn(listed));
    },
  },
  read_resource: {
    needs: "resources",
    description: (server) => `Reads a resource of "${server}".`,
    parameters: {
      type: "object",
      properties: { uri: { type: "string", description: "The resource's address." } },
      required: ["uri"],
    },
    run: async (session, { uri }, signal) => {
      const params = { uri: text(uri) };
      const { contents } = await session.request({ method: "resources/read", params }, { signal });
      const read = readResources(contents);
      session.logOmitted("the contents of a resource", read.omitted);
      return { status: "success", content: [...read.parts, ...omittedLines(read)] };
    },
  },
  list_prompts: {
    needs: "prompts",
    description: (server) => `Lists the prompts of "${server}": texts that get_prompt writes.`,
    parameters: cursor,
    run: async (session, args, signal) => {
      const listed = await session.request({ method: "prompts/list", params: pageOf(args) }, { signal });
      const prompts = rowsOf(listed, session, {
        list: "prompts",
        kind: "prompt",
        row: (item) => row(signature(neededText(item, "name", nameLimit), item["arguments"]), [about(item)]),
      });
      return list([prompts], cursorIn(listed));
    },
  },
  get_prompt: {
    needs: "prompts",
    description: (server) => `Writes a prompt of "${server}" with arguments.`,
    parameters: {
      type: "object",
      properties: {
        name: { type: "string" },
        arguments: { type: "object", additionalProperties: { type: "string" } },
      },
      required: ["name"],
    },
    run: async (session, { name: prompt, arguments: values }, signal) => {
      const params = { name: text(prompt), arguments: (values ?? {}) as Record<string, string> };
      const { messages } = await session.request({ method: "prompts/get", params }, { signal });
      const { items, omitted } = readItems(messages, {
        list: "messages",
        kind: "message",
        most: mostRows,
        read: (message) => ({ role: line(textIn(message, "role") ?? "user"), read: readBlocks(blocksOf(message)) }),
        nameOf: () => null,
      });
      for (const { read } of items) session.logOmitted("a message of a prompt", read.omitted);
      session.logOmitted("the messages of a prompt", omitted);
      const parts = items.flatMap(({ role, read }): ContentPart[] => [
        { type: "text", text: `[${role}]` },
        ...read.parts,
        ...omittedLines(read),
      ]);
      return { status: "success", content: [...parts, ...omittedLines({ parts: [], omitted })] };
    },
  },
} satisfies Record<string, FeatureTool>;

/** Returns the tools that the definition requests and the server supports. */
export function featureTools(
  { name, prefix = name, ...definition }: AnyMcpServerDefinition,
  capabilities: ServerCapabilities,
): ListedTool[] {
  return (Object.keys(features) as Feature[]).flatMap((feature) => {
    const { needs, description, parameters }: FeatureTool = features[feature];
    if (definition[needs] !== true || capabilities[needs] === undefined) return [];
    return [
      {
        name: `${prefix}__${feature}`,
        serverName: feature,
        feature,
        description: description(name),
        parameters,
        resultSchema: null,
        repeatable: true,
        isReading: true,
        isTask: false,
      },
    ];
  });
}

/** Runs a tool of this file. */
export function runFeature(
  feature: Feature,
  session: ServerSession,
  { args, signal }: { args: JsonObject; signal: AbortSignal },
): Promise<ToolAnswer> {
  return features[feature].run(session, args, signal);
}

/** Returns an argument that the tool's schema requires to be a string. */
function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function pageOf({ cursor: position }: JsonObject): { cursor?: string } {
  return typeof position === "string" ? { cursor: position } : {};
}

/** The block of a message, or its blocks. A message without content has one that cannot be read. */
function blocksOf({ content }: Fields): unknown {
  return isObject(content) ? [content] : (content ?? [null]);
}

/** Requests the first page of the resource templates, which are patterns of addresses. Empty if the server has no such list. */
async function templatesOf(session: ServerSession, signal: AbortSignal): Promise<Rows> {
  let listed: Fields;
  try {
    listed = await session.request({ method: "resources/templates/list", params: {} }, { signal });
  } catch (thrown) {
    if (isRequestFailure(thrown) && !signal.aborted) return nothing;
    throw thrown;
  }
  return rowsOf(listed, session, {
    list: "resourceTemplates",
    kind: "resource template",
    row: (item) => row(neededText(item, "uriTemplate", uriLimit), ["template", name(item), about(item)]),
  });
}

/** Lines about the elements of a list, and the elements that are left out. */
interface Rows {
  rows: readonly string[];
  omitted: string;
}

const nothing: Rows = { rows: [], omitted: "" };

/** Reads a list of a response. Logs the elements that are left out. */
function rowsOf(
  response: Fields,
  session: ServerSession,
  { list: field, kind, row: read }: { list: string; kind: string; row: (item: Fields) => string },
): Rows {
  const nameOf = (item: Fields): unknown => item["name"] ?? item["uri"] ?? item["uriTemplate"];
  const { items, omitted } = readItems(response[field], { list: field, kind, most: mostRows, read, nameOf });
  session.logOmitted(`the list \`${field}\``, omitted);
  return { rows: items, omitted: omitted.text };
}

function name(item: Fields): string | undefined {
  return textIn(item, "name") ?? textIn(item, "title");
}

function about(item: Fields): string | undefined {
  return textIn(item, "description");
}

/** A prompt with its arguments. Arguments that are not required have a question mark. */
function signature(prompt: string, given: unknown): string {
  const names = listOf(given)
    .slice(0, mostArguments)
    .flatMap((field) => {
      const argument = textIn(fieldsOf(field), "name");
      if (argument === undefined) return [];
      return [fieldsOf(field)["required"] === true ? argument : `${argument}?`];
    });
  return names.length === 0 ? prompt : `${prompt}(${names.join(", ")})`;
}

function row(title: string, facts: readonly (string | undefined)[]): string {
  const known = facts.filter((fact) => fact !== undefined && fact !== "").map((fact) => line(fact ?? ""));
  return outsideText([line(title), ...known].join(" | "), 2 * descriptionLimit);
}

function list(lists: readonly Rows[], next: string | number): ToolAnswer {
  const rows = lists.flatMap((one) => one.rows);
  const omitted = lists.flatMap((one) => (one.omitted === "" ? [] : [`[Left out of the list: ${one.omitted}]`]));
  const more = next === "" ? [] : [`More follow after the cursor ${JSON.stringify(String(next))}.`];
  return { status: "success", result: [...rows, ...omitted, ...more].join("\n") || "None." };
}
