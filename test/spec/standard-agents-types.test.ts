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

describe("a type of the document fits ours both ways:", () => {
  it("SATYPE1 The type ModelProvider fits the document's type in both directions", fits("models.ModelProvider"));
  it(
    "SATYPE2 The type ModelCapabilities fits the document's type in both directions",
    fits("models.ModelCapabilities"),
  );
  it("SATYPE3 The type ModelDefinition fits the document's type in both directions", fits("models.ModelDefinition"));
  it("SATYPE4 The type ThreadMetadata fits the document's type in both directions", fits("messages.ThreadMetadata"));
  it("SATYPE5 The type ThreadState fits the document's type in both directions", fits("threads.ThreadState"));
  it("SATYPE6 The type Message fits the document's type in both directions", fits("messages.Message"));
  it(
    "SATYPE7 The type GetMessagesOptions fits the document's type in both directions",
    fits("messages.GetMessagesOptions"),
  );
  it("SATYPE8 The type MessagesResult fits the document's type in both directions", fits("messages.MessagesResult"));
  it(
    "SATYPE9 The type InjectMessageInput fits the document's type in both directions",
    fits("messages.InjectMessageInput"),
  );
  it("SATYPE10 The type MessageUpdates fits the document's type in both directions", fits("messages.MessageUpdates"));
  it("SATYPE11 The type GetLogsOptions fits the document's type in both directions", fits("messages.GetLogsOptions"));
  it("SATYPE12 The type Log fits the document's type in both directions", fits("messages.Log"));
  it("SATYPE13 The type FileStorage fits the document's type in both directions", fits("files.FileStorage"));
  it("SATYPE14 The type FileRecord fits the document's type in both directions", fits("files.FileRecord"));
  it("SATYPE15 The type WriteFileOptions fits the document's type in both directions", fits("files.WriteFileOptions"));
  it("SATYPE16 The type ReaddirResult fits the document's type in both directions", fits("files.ReaddirResult"));
  it("SATYPE17 The type FileStats fits the document's type in both directions", fits("files.FileStats"));
  it("SATYPE18 The type GrepResult fits the document's type in both directions", fits("files.GrepResult"));
  it("SATYPE19 The type FindResult fits the document's type in both directions", fits("files.FindResult"));
  it(
    "SATYPE20 The type ReadFileStreamOptions fits the document's type in both directions",
    fits("files.ReadFileStreamOptions"),
  );
  it("SATYPE21 The type FileChunk fits the document's type in both directions", fits("files.FileChunk"));
  it("SATYPE22 The type ExecutionState fits the document's type in both directions", fits("threads.ExecutionState"));
  it("SATYPE23 The type TextContent fits the document's type in both directions", fits("tools.TextContent"));
  it("SATYPE24 The type ImageContent fits the document's type in both directions", fits("tools.ImageContent"));
  it("SATYPE25 The type ToolContent fits the document's type in both directions", fits("tools.ToolContent"));
  it("SATYPE26 The type ToolAttachment fits the document's type in both directions", fits("tools.ToolAttachment"));
  it("SATYPE27 The type AttachmentRef fits the document's type in both directions", fits("tools.AttachmentRef"));
  it("SATYPE28 The type ToolResult fits the document's type in both directions", fits("tools.ToolResult"));
  for (const depth of [1, 7, 8, 9, 10]) {
    it(
      `SATYPE29 ToolArgsNode of ${depth} levels fits the document's type in both directions`,
      fits(`tools.ToolArgsNode<${depth}>`),
    );
    it(
      `SATYPE30 ToolArgsRawShape of ${depth} levels fits the document's type in both directions`,
      fits(`tools.ToolArgsRawShape<${depth}>`),
    );
    it(
      `SATYPE31 ToolArgs of ${depth} levels fits the document's type in both directions`,
      fits(`tools.ToolArgs<${depth}>`),
    );
  }
  it("SATYPE32 The type Tool fits the document's type in both directions", fits("tools.Tool"));
  it("SATYPE33 The type ToolDefinition fits the document's type in both directions", fits("tools.ToolDefinition"));
  it("SATYPE34 The type PromptTextPart fits the document's type in both directions", fits("prompts.PromptTextPart"));
  it(
    "SATYPE35 The type PromptIncludePart fits the document's type in both directions",
    fits("prompts.PromptIncludePart"),
  );
  it("SATYPE36 The type PromptPart fits the document's type in both directions", fits("prompts.PromptPart"));
  it(
    "SATYPE37 The type StructuredPrompt fits the document's type in both directions",
    fits("prompts.StructuredPrompt"),
  );
  it("SATYPE38 The type PromptContent fits the document's type in both directions", fits("prompts.PromptContent"));
  it("SATYPE39 The type SubpromptConfig fits the document's type in both directions", fits("prompts.SubpromptConfig"));
  it("SATYPE40 The type ToolConfig fits the document's type in both directions", fits("prompts.ToolConfig"));
  it("SATYPE41 The type ReasoningConfig fits the document's type in both directions", fits("prompts.ReasoningConfig"));
  it(
    "SATYPE42 The type PromptDefinition fits the document's type in both directions",
    fits("prompts.PromptDefinition"),
  );
  it("SATYPE44 The type HookContext fits the document's type in both directions", fits("hooks.HookContext"));
  it("SATYPE45 The type HookMessage fits the document's type in both directions", fits("hooks.HookMessage"));
  it("SATYPE46 The type HookToolCall fits the document's type in both directions", fits("hooks.HookToolCall"));
  it("SATYPE47 The type HookToolResult fits the document's type in both directions", fits("hooks.HookToolResult"));
  it("SATYPE48 The type LLMMessage fits the document's type in both directions", fits("hooks.LLMMessage"));
  it("SATYPE49 The type HookSignatures fits the document's type in both directions", fits("hooks.HookSignatures"));
  it("SATYPE50 The type HookName fits the document's type in both directions", fits("hooks.HookName"));
  it("SATYPE51 The type HookDefinition fits the document's type in both directions", fits("hooks.HookDefinition"));
  it("SATYPE52 The type AgentType fits the document's type in both directions", fits("agents.AgentType"));
  it("SATYPE53 The type SideConfig fits the document's type in both directions", fits("agents.SideConfig"));
  it("SATYPE54 The type AgentDefinition fits the document's type in both directions", fits("agents.AgentDefinition"));
  it(
    "SATYPE55 The type VirtualModuleLoader fits the document's type in both directions",
    fits("endpoints.VirtualModuleLoader<1>"),
  );
  it(
    "SATYPE56 The type VirtualModuleRegistry fits the document's type in both directions",
    fits("endpoints.VirtualModuleRegistry<1>"),
  );
  it(
    "SATYPE57 The type ControllerContext fits the document's type in both directions",
    fits("endpoints.ControllerContext"),
  );
  it(
    "SATYPE58 The type ControllerReturn fits the document's type in both directions",
    fits("endpoints.ControllerReturn"),
  );
  it("SATYPE59 The type Controller fits the document's type in both directions", fits("endpoints.Controller"));
  it(
    "SATYPE60 The type ThreadEndpointHandler fits the document's type in both directions",
    fits("endpoints.ThreadEndpointHandler"),
  );
});

describe("what the types say beyond that", () => {
  const wrong = looked(
    "wrong",
    pair("models.ModelCapabilities").replaceAll("Ours.ModelCapabilities", "{ vision?: string }"),
  );

  it("SATYPE2 A type with another field would be noticed", async () => {
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

  it("SATYPE43 PromptInput is what a schema parses to, and never without one", async () => {
    expect(await input()).toEqual(["TS2322", "TS2322"]);
  });

  const nested = (levels: number): string => "z.array(".repeat(levels) + "z.string()" + ")".repeat(levels);
  const taking = (levels: number, type = "ToolArgs"): string =>
    `export const schema: Ours.${type} = z.object({ value: ${nested(levels)} });`;
  const shallow = looked("shallow", taking(7));
  const deep = looked("deep", taking(8));

  it("SATYPE61 Arguments nest seven levels deep by default", async () => {
    expect(await shallow()).toEqual([]);
    expect(await deep()).toEqual(["TS2375"]);
  });

  const others = [8, 9, 10].map((depth) => ({
    fitting: looked(`shallow-${depth}`, taking(depth, `ToolArgs<${depth}>`)),
    deeper: looked(`deep-${depth}`, taking(depth + 1, `ToolArgs<${depth}>`)),
  }));

  it("SATYPE61 Arguments nest as deep as the type's parameter says, up to ten levels", async () => {
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

  it("SATYPE62, SATYPE63 TextContent has the type text and a text", async () => {
    expect(await text()).toEqual(["TS2322", "TS2322"]);
  });

  const image = looked(
    "image",
    `export const right: Ours.ImageContent = { type: "image", data: "", mimeType: "image/png" };
export const type: Ours.ImageContent = { type: "text", data: "", mimeType: "image/png" };
export const data: Ours.ImageContent = { type: "image", data: 1, mimeType: "image/png" };
export const mimeType: Ours.ImageContent = { type: "image", data: "" };`,
  );

  it("SATYPE64, SATYPE65, SATYPE66 ImageContent has the type image, base64 data and a MIME type", async () => {
    expect(await image()).toEqual(["TS2322", "TS2322", "TS2741"]);
  });
});
