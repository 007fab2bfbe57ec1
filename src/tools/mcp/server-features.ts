// Tools that list and read the resources and prompts of a server. They exist if the definition requests them and the server declares the
// capability.

import type { ServerCapabilities } from "@modelcontextprotocol/sdk/types.js";
import {
  GetPromptResultSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  McpError,
  ReadResourceResultSchema,
} from "@modelcontextprotocol/sdk/types.js";

import type { Json, JsonObject } from "#contract/json.ts";
import type { ToolAnswer } from "#core/ports/tool-port.ts";
import type { AnyMcpServerDefinition } from "#spec/index.ts";

import { outsideText } from "../outside-text.ts";
import { contentPart, line, resourcePart } from "./server-result.ts";
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
      const listed = await session.request({ method: "resources/list", params }, ListResourcesResultSchema, { signal });
      const templates = "cursor" in params ? [] : await templatesOf(session, signal);
      const rows = [
        ...listed.resources.map(({ uri, name, description, mimeType }) => row(uri, [name, mimeType, description])),
        ...templates.map(({ uriTemplate, name, description }) => row(uriTemplate, ["template", name, description])),
      ];
      return list(rows, listed.nextCursor);
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
      const { contents } = await session.request({ method: "resources/read", params }, ReadResourceResultSchema, {
        signal,
      });
      return { status: "success", content: contents.map((resource) => resourcePart(resource)) };
    },
  },
  list_prompts: {
    needs: "prompts",
    description: (server) => `Lists the prompts of "${server}": texts that get_prompt writes.`,
    parameters: cursor,
    run: async (session, args, signal) => {
      const request = { method: "prompts/list", params: pageOf(args) } as const;
      const { prompts, nextCursor } = await session.request(request, ListPromptsResultSchema, { signal });
      const rows = prompts.map(({ name, description, arguments: fields = [] }) => {
        const names = fields.map((field) => (field.required === true ? field.name : `${field.name}?`)).join(", ");
        return row(names === "" ? name : `${name}(${names})`, [description]);
      });
      return list(rows, nextCursor);
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
    run: async (session, { name, arguments: values }, signal) => {
      const params = { name: text(name), arguments: (values ?? {}) as Record<string, string> };
      const { messages } = await session.request({ method: "prompts/get", params }, GetPromptResultSchema, { signal });
      const content = messages.flatMap((message) => [
        { type: "text", text: `[${message.role}]` },
        contentPart(message.content),
      ]);
      return { status: "success", content };
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

/** Requests the first page of the resource templates, which are patterns of addresses. Empty if the server has no such list. */
async function templatesOf(session: ServerSession, signal: AbortSignal) {
  try {
    const request = { method: "resources/templates/list", params: {} } as const;
    return (await session.request(request, ListResourceTemplatesResultSchema, { signal })).resourceTemplates;
  } catch (thrown) {
    if (thrown instanceof McpError && !signal.aborted) return [];
    throw thrown;
  }
}

function row(title: string, facts: readonly (string | undefined)[]): string {
  const known = facts.filter((fact) => fact !== undefined && fact !== "").map((fact) => line(fact ?? ""));
  return outsideText([line(title), ...known].join(" | "), 2 * descriptionLimit);
}

function list(rows: readonly string[], next: string | undefined): ToolAnswer {
  const more = next === undefined ? [] : [`More follow after the cursor ${JSON.stringify(next)}.`];
  return { status: "success", result: [...rows, ...more].join("\n") || "None." };
}
