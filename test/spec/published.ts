// The names that the Standard Agents document exports, and the files of `fixtures/published`, one for each section, that contain their
// shapes for comparison.

import { readFileSync, readdirSync } from "node:fs";

const folder = new URL("fixtures/published/", import.meta.url);

/** The shapes, by their paths in a typed project. */
export const publishedFiles: Record<string, string> = Object.fromEntries(
  readdirSync(folder).map((file) => [`published/${file}`, readFileSync(new URL(file, folder), "utf8")]),
);

const types: Record<string, string> = {
  models: "ModelProvider ModelCapabilities ModelDefinition",
  messages:
    "ThreadMetadata Message GetMessagesOptions MessagesResult InjectMessageInput MessageUpdates GetLogsOptions Log",
  files:
    "FileStorage FileRecord WriteFileOptions ReaddirResult FileStats GrepResult FindResult ReadFileStreamOptions FileChunk",
  threads: "ExecutionState ThreadState",
  tools:
    "TextContent ImageContent ToolContent ToolAttachment AttachmentRef ToolResult ToolArgsNode<1> ToolArgsRawShape<1> ToolArgs<1> Tool ToolDefinition",
  prompts:
    "PromptTextPart PromptIncludePart PromptPart StructuredPrompt PromptContent SubpromptConfig ToolConfig ReasoningConfig PromptDefinition",
  hooks: "HookContext HookMessage HookToolCall HookToolResult LLMMessage HookSignatures HookName HookDefinition",
  agents: "AgentType SideConfig AgentDefinition",
  endpoints:
    "VirtualModuleLoader<1> VirtualModuleRegistry<1> ControllerContext ControllerReturn Controller ThreadEndpointHandler",
};

/** Every exported type but `PromptInput`, with its section. */
export const publishedTypes: readonly (readonly [section: string, type: string])[] = Object.entries(types).flatMap(
  ([section, names]) => names.split(" ").map((name) => [section, name] as const),
);

/** The functions: section, the name of the function's shape, the function. */
export const definitionFunctions = [
  ["models", "DefineModel", "defineModel"],
  ["prompts", "DefinePrompt", "definePrompt"],
  ["tools", "DefineTool", "defineTool"],
  ["hooks", "DefineHook", "defineHook"],
  ["agents", "DefineAgent", "defineAgent"],
  ["endpoints", "DefineController", "defineController"],
  ["endpoints", "DefineThreadEndpoint", "defineThreadEndpoint"],
] as const;
