// Standard Agents, types: each exported type of the document and ours are assignable to each other. The type checker runs once for all of
// them, and each test reads the findings of its file.

import { describe, expect, it, vi } from "vitest";

import { publishedFiles } from "./published.ts";
import { typeCheck } from "./typed-project.ts";

// Starts the type checker; on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 });

const imports = `import type * as Ours from "@standardagents/spec";
import { definePrompt } from "@standardagents/spec";
import { z } from "zod";
${Object.keys(publishedFiles)
  .map((file) => `import type * as ${file.replace(/^.*\/|\.ts$/g, "")} from "./${file}";`)
  .join("\n")}
`;

/** The document's type and ours: assignable in both directions, as a whole and field by field. */
function pair(theirs: string): string {
  const ours = `Ours.${theirs.split(".")[1] ?? ""}`;
  return `export const test = (theirs: ${theirs}, ours: ${ours}) => {
  const one: ${ours} = theirs;
  const other: ${theirs} = ours;
  const fields: [Exclude<keyof ${theirs}, keyof ${ours}>] extends [never] ? true : false = true;
  return [one, other, fields];
};`;
}

const sources = new Map<string, string>();
let findings: Promise<string[]> | undefined;

/** Registers a file and returns a function that lists the positions of its findings. */
function looked(name: string, source: string): () => Promise<string[]> {
  sources.set(`${name}.ts`, imports + source);
  return async () => {
    findings ??= typeCheck({ ...publishedFiles, ...Object.fromEntries(sources) });
    const lines = (await findings).filter((line) => line.startsWith(`${name}.ts(`));
    return lines.map((line) => /error (TS\d+)/.exec(line)?.[1] ?? line);
  };
}

function fits(theirs: string): () => Promise<void> {
  const look = looked(`pair-${theirs.replace(/\W/g, "-")}`, pair(theirs));
  return async () => expect(await look()).toEqual([]);
}

describe("types of Standard Agents", () => {
  it(
    "SATYPE1 The type ModelProvider is assignable to and from the type of Standard Agents",
    fits("models.ModelProvider"),
  );
  it(
    "SATYPE2 The type ModelCapabilities is assignable to and from the type of Standard Agents",
    fits("models.ModelCapabilities"),
  );
  it(
    "SATYPE3 The type ModelDefinition is assignable to and from the type of Standard Agents",
    fits("models.ModelDefinition"),
  );
  it(
    "SATYPE4 The type ThreadMetadata is assignable to and from the type of Standard Agents",
    fits("messages.ThreadMetadata"),
  );
  it("SATYPE5 The type ThreadState is assignable to and from the type of Standard Agents", fits("threads.ThreadState"));
  it("SATYPE6 The type Message is assignable to and from the type of Standard Agents", fits("messages.Message"));
  it(
    "SATYPE7 The type GetMessagesOptions is assignable to and from the type of Standard Agents",
    fits("messages.GetMessagesOptions"),
  );
  it(
    "SATYPE8 The type MessagesResult is assignable to and from the type of Standard Agents",
    fits("messages.MessagesResult"),
  );
  it(
    "SATYPE9 The type InjectMessageInput is assignable to and from the type of Standard Agents",
    fits("messages.InjectMessageInput"),
  );
  it(
    "SATYPE10 The type MessageUpdates is assignable to and from the type of Standard Agents",
    fits("messages.MessageUpdates"),
  );
  it(
    "SATYPE11 The type GetLogsOptions is assignable to and from the type of Standard Agents",
    fits("messages.GetLogsOptions"),
  );
  it("SATYPE12 The type Log is assignable to and from the type of Standard Agents", fits("messages.Log"));
  it("SATYPE13 The type FileStorage is assignable to and from the type of Standard Agents", fits("files.FileStorage"));
  it("SATYPE14 The type FileRecord is assignable to and from the type of Standard Agents", fits("files.FileRecord"));
  it(
    "SATYPE15 The type WriteFileOptions is assignable to and from the type of Standard Agents",
    fits("files.WriteFileOptions"),
  );
  it(
    "SATYPE16 The type ReaddirResult is assignable to and from the type of Standard Agents",
    fits("files.ReaddirResult"),
  );
  it("SATYPE17 The type FileStats is assignable to and from the type of Standard Agents", fits("files.FileStats"));
  it("SATYPE18 The type GrepResult is assignable to and from the type of Standard Agents", fits("files.GrepResult"));
  it("SATYPE19 The type FindResult is assignable to and from the type of Standard Agents", fits("files.FindResult"));
  it(
    "SATYPE20 The type ReadFileStreamOptions is assignable to and from the type of Standard Agents",
    fits("files.ReadFileStreamOptions"),
  );
  it("SATYPE21 The type FileChunk is assignable to and from the type of Standard Agents", fits("files.FileChunk"));
  it(
    "SATYPE22 The type ExecutionState is assignable to and from the type of Standard Agents",
    fits("threads.ExecutionState"),
  );
  it("SATYPE23 The type TextContent is assignable to and from the type of Standard Agents", fits("tools.TextContent"));
  it(
    "SATYPE24 The type ImageContent is assignable to and from the type of Standard Agents",
    fits("tools.ImageContent"),
  );
  it("SATYPE25 The type ToolContent is assignable to and from the type of Standard Agents", fits("tools.ToolContent"));
  it(
    "SATYPE26 The type ToolAttachment is assignable to and from the type of Standard Agents",
    fits("tools.ToolAttachment"),
  );
  it(
    "SATYPE27 The type AttachmentRef is assignable to and from the type of Standard Agents",
    fits("tools.AttachmentRef"),
  );
  it("SATYPE28 The type ToolResult is assignable to and from the type of Standard Agents", fits("tools.ToolResult"));
  for (const depth of [1, 7, 8, 9, 10]) {
    it(
      `SATYPE29 ToolArgsNode of ${depth} levels is assignable to and from the type of Standard Agents`,
      fits(`tools.ToolArgsNode<${depth}>`),
    );
    it(
      `SATYPE30 ToolArgsRawShape of ${depth} levels is assignable to and from the type of Standard Agents`,
      fits(`tools.ToolArgsRawShape<${depth}>`),
    );
    it(
      `SATYPE31 ToolArgs of ${depth} levels is assignable to and from the type of Standard Agents`,
      fits(`tools.ToolArgs<${depth}>`),
    );
  }
  it("SATYPE32 The type Tool is assignable to and from the type of Standard Agents", fits("tools.Tool"));
  it(
    "SATYPE33 The type ToolDefinition is assignable to and from the type of Standard Agents",
    fits("tools.ToolDefinition"),
  );
  it(
    "SATYPE34 The type PromptTextPart is assignable to and from the type of Standard Agents",
    fits("prompts.PromptTextPart"),
  );
  it(
    "SATYPE35 The type PromptIncludePart is assignable to and from the type of Standard Agents",
    fits("prompts.PromptIncludePart"),
  );
  it("SATYPE36 The type PromptPart is assignable to and from the type of Standard Agents", fits("prompts.PromptPart"));
  it(
    "SATYPE37 The type StructuredPrompt is assignable to and from the type of Standard Agents",
    fits("prompts.StructuredPrompt"),
  );
  it(
    "SATYPE38 The type PromptContent is assignable to and from the type of Standard Agents",
    fits("prompts.PromptContent"),
  );
  it(
    "SATYPE39 The type SubpromptConfig is assignable to and from the type of Standard Agents",
    fits("prompts.SubpromptConfig"),
  );
  it("SATYPE40 The type ToolConfig is assignable to and from the type of Standard Agents", fits("prompts.ToolConfig"));
  it(
    "SATYPE41 The type ReasoningConfig is assignable to and from the type of Standard Agents",
    fits("prompts.ReasoningConfig"),
  );
  it(
    "SATYPE42 The type PromptDefinition is assignable to and from the type of Standard Agents",
    fits("prompts.PromptDefinition"),
  );
  it("SATYPE44 The type HookContext is assignable to and from the type of Standard Agents", fits("hooks.HookContext"));
  it("SATYPE45 The type HookMessage is assignable to and from the type of Standard Agents", fits("hooks.HookMessage"));
  it(
    "SATYPE46 The type HookToolCall is assignable to and from the type of Standard Agents",
    fits("hooks.HookToolCall"),
  );
  it(
    "SATYPE47 The type HookToolResult is assignable to and from the type of Standard Agents",
    fits("hooks.HookToolResult"),
  );
  it("SATYPE48 The type LLMMessage is assignable to and from the type of Standard Agents", fits("hooks.LLMMessage"));
  it(
    "SATYPE49 The type HookSignatures is assignable to and from the type of Standard Agents",
    fits("hooks.HookSignatures"),
  );
  it("SATYPE50 The type HookName is assignable to and from the type of Standard Agents", fits("hooks.HookName"));
  it(
    "SATYPE51 The type HookDefinition is assignable to and from the type of Standard Agents",
    fits("hooks.HookDefinition"),
  );
  it("SATYPE52 The type AgentType is assignable to and from the type of Standard Agents", fits("agents.AgentType"));
  it("SATYPE53 The type SideConfig is assignable to and from the type of Standard Agents", fits("agents.SideConfig"));
  it(
    "SATYPE54 The type AgentDefinition is assignable to and from the type of Standard Agents",
    fits("agents.AgentDefinition"),
  );
  it(
    "SATYPE55 The type VirtualModuleLoader is assignable to and from the type of Standard Agents",
    fits("endpoints.VirtualModuleLoader<1>"),
  );
  it(
    "SATYPE56 The type VirtualModuleRegistry is assignable to and from the type of Standard Agents",
    fits("endpoints.VirtualModuleRegistry<1>"),
  );
  it(
    "SATYPE57 The type ControllerContext is assignable to and from the type of Standard Agents",
    fits("endpoints.ControllerContext"),
  );
  it(
    "SATYPE58 The type ControllerReturn is assignable to and from the type of Standard Agents",
    fits("endpoints.ControllerReturn"),
  );
  it(
    "SATYPE59 The type Controller is assignable to and from the type of Standard Agents",
    fits("endpoints.Controller"),
  );
  it(
    "SATYPE60 The type ThreadEndpointHandler is assignable to and from the type of Standard Agents",
    fits("endpoints.ThreadEndpointHandler"),
  );
});

describe("further rules of the types", () => {
  const wrong = looked(
    "wrong",
    pair("models.ModelCapabilities").replaceAll("Ours.ModelCapabilities", "{ vision?: string }"),
  );

  it("SATYPE2 The comparison with the type of Standard Agents fails if a field of ModelCapabilities has another type", async () => {
    expect((await wrong()).length).toBeGreaterThan(0);
  });

  const input = looked(
    "input",
    `const fields = { name: "p", toolDescription: "", prompt: "", model: "m" };
const given = definePrompt({ ...fields, requiredSchema: z.object({ q: z.string() }) });
const bare = definePrompt(fields);
export const right: Ours.PromptInput<typeof given> = { q: "" };
export const wrong: Ours.PromptInput<typeof given> = { q: 1 };
export const none: Ours.PromptInput<typeof bare> = { q: "" };`,
  );

  it("SATYPE43 PromptInput is the parsed type of a prompt's schema, and no value fits it without a schema", async () => {
    expect(await input()).toEqual(["TS2322", "TS2322"]);
  });

  const nested = (levels: number): string => "z.array(".repeat(levels) + "z.string()" + ")".repeat(levels);
  const taking = (levels: number, type = "ToolArgs"): string =>
    `export const schema: Ours.${type} = z.object({ value: ${nested(levels)} });`;
  const shallow = looked("shallow", taking(7));
  const deep = looked("deep", taking(8));

  it("SATYPE61 The type ToolArgs accepts arguments that are nested in up to seven levels by default", async () => {
    expect(await shallow()).toEqual([]);
    expect(await deep()).toEqual(["TS2375"]);
  });

  const others = [8, 9, 10].map((depth) => ({
    fitting: looked(`shallow-${depth}`, taking(depth, `ToolArgs<${depth}>`)),
    deeper: looked(`deep-${depth}`, taking(depth + 1, `ToolArgs<${depth}>`)),
  }));

  it("SATYPE61 The type parameter of ToolArgs sets how many levels of nesting the arguments may have, up to ten", async () => {
    for (const { fitting, deeper } of others) {
      expect(await fitting()).toEqual([]);
      expect(await deeper()).toHaveLength(1);
    }
  });

  const text = looked(
    "text",
    `export const right: Ours.TextContent = { type: "text", text: "words" };
export const type: Ours.TextContent = { type: "image", text: "words" };
export const words: Ours.TextContent = { type: "text", text: 1 };`,
  );

  it("SATYPE62, SATYPE63 TextContent has a field `type` with the value `text`, and a field `text`", async () => {
    expect(await text()).toEqual(["TS2322", "TS2322"]);
  });

  const image = looked(
    "image",
    `export const right: Ours.ImageContent = { type: "image", data: "", mimeType: "image/png" };
export const type: Ours.ImageContent = { type: "text", data: "", mimeType: "image/png" };
export const data: Ours.ImageContent = { type: "image", data: 1, mimeType: "image/png" };
export const mimeType: Ours.ImageContent = { type: "image", data: "" };`,
  );

  it("SATYPE64, SATYPE65, SATYPE66 ImageContent has a field `type` with the value `image`, base64 data and a MIME type", async () => {
    expect(await image()).toEqual(["TS2322", "TS2322", "TS2741"]);
  });
});
