// The public entry `threadhold/testing`: tests of a project's agents in vitest, on the real thread object, with scripted answers of models.

export { providerContract } from "./provider-contract.ts";
export type { ContractCase, ProviderContractOptions } from "./provider-contract.ts";
export type { ProviderFeature, ProviderScenario } from "./provider-rules.ts";
export { failure, hold, text, toolCall } from "./scripted-answer.ts";
export type { Answer, AnswerList, Answers, RecordedRequest } from "./scripted-answer.ts";
export { sourceTool } from "./scripted-source.ts";
export type {
  ScriptedFetch,
  Sources,
  SourceTool,
  SourceToolFunction,
  SourceToolOptions,
  SourceToolResult,
  SourceTools,
} from "./scripted-source.ts";
export { startThread } from "./start-thread.ts";
export type { StartOptions } from "./start-thread.ts";
export { TestThread } from "./test-thread.ts";
export type { SendOptions, Turn } from "./test-thread.ts";
export { createTestWorker } from "./test-worker.ts";
