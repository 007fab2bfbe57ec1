// The options of an agent and their builders (REQ-025, 026, 113, 146). A builder checks its value, changes the agent and returns it.

import { fieldsOf } from "#lib/json-value.ts";
import type { ThreadState } from "#spec/index.ts";

import type { CompactionStrategy } from "./context/compaction-strategy.ts";
import { defaultContextConfig } from "./context/context-config.ts";
import type { ContextConfig } from "./context/context-config.ts";
import { defaultExecutionLimits } from "./context/execution-tracker.ts";
import type { ExecutionLimits } from "./context/execution-tracker.ts";
import { checkConfig, checkTools } from "./loop-config.ts";
import type { AgentLoopConfig, InputFilter, LoopCallbacks, ToolExecutionStrategy } from "./loop-config.ts";
import { LoopError } from "./loop-error.ts";
import type { AgentTool } from "./loop-tool.ts";
import type { QueueMode } from "./message-queue.ts";
import type { ModelConfig } from "./provider/model-config.ts";
import { defaultCacheConfig, defaultRetryConfig } from "./provider/stream-provider.ts";
import type { CacheConfig, RetryConfig, StreamProvider, ThinkingLevel } from "./provider/stream-provider.ts";

/** The options of an agent. */
export class AgentOptions {
  systemPrompt = "";
  modelConfig: ModelConfig;
  providerOverride: StreamProvider | null = null;
  thinkingLevel: ThinkingLevel = "Off";
  maxTokens: number | null = null;
  temperature: number | null = null;
  tools: AgentTool[] = [];
  toolExecution: ToolExecutionStrategy = "Parallel";
  steeringMode: QueueMode = "OneAtATime";
  followUpMode: QueueMode = "OneAtATime";
  contextConfig: ContextConfig | null = { ...defaultContextConfig };
  compactionStrategy: CompactionStrategy | null = null;
  executionLimits: ExecutionLimits | null = { ...defaultExecutionLimits };
  cacheConfig: CacheConfig = defaultCacheConfig();
  retryConfig: RetryConfig = defaultRetryConfig();
  inputFilters: InputFilter[] = [];
  callbacks: LoopCallbacks = {};
  transformContext: AgentLoopConfig["transformContext"] | null = null;
  convertToLlm: AgentLoopConfig["convertToLlm"] | null = null;
  configId: string | null = null;
  in: ThreadState | null = null;
  constructor(modelConfig: ModelConfig) {
    this.modelConfig = modelConfig;
  }

  withSystemPrompt(text: string): this {
    this.systemPrompt = text;
    return this;
  }

  withModelConfig(config: ModelConfig): this {
    return this.#with({ modelConfig: config }, () => (this.modelConfig = config));
  }

  /** Requests answers from this provider in place of the one that the model's protocol names. */
  withProviderOverride(provider: StreamProvider): this {
    return this.#with({ providerOverride: provider }, () => (this.providerOverride = provider));
  }

  withMaxTokens(count: number): this {
    return this.#with({ maxTokens: count }, () => (this.maxTokens = count));
  }

  withTemperature(value: number): this {
    return this.#with({ temperature: value }, () => (this.temperature = value));
  }

  withThinking(level: ThinkingLevel): this {
    return this.#with({ thinkingLevel: level }, () => (this.thinkingLevel = level));
  }

  /** Replaces the tools. Throws a LoopError if two have one name. */
  withTools(tools: readonly AgentTool[]): this {
    checkTools(tools);
    this.tools = [...tools];
    return this;
  }

  /** Adds tools. Throws a LoopError if two have one name. */
  addTools(tools: readonly AgentTool[]): this {
    checkTools(tools);
    return this.withTools([...this.tools, ...tools]);
  }

  /** Adds a sub-agent: a tool that runs a loop, such as a `SubAgentTool` of `threadhold/loop/agents`. */
  withSubAgent(subAgent: AgentTool): this {
    return this.addTools([subAgent]);
  }

  /** Adds the list of the skills to the end of the system prompt. */
  withSkills(skills: { formatForPrompt(): string }): this {
    if (typeof fieldsOf(skills)["formatForPrompt"] !== "function")
      throw new LoopError("withSkills takes a set of skills, which has the function `formatForPrompt`.");
    return this.withSystemPrompt([this.systemPrompt, skills.formatForPrompt()].filter(Boolean).join("\n\n"));
  }

  /** Null: nothing is compacted. */
  withContextConfig(config: ContextConfig | null): this {
    return this.#with(config === null ? {} : { contextConfig: config }, () => (this.contextConfig = config));
  }

  withCompactionStrategy(strategy: CompactionStrategy): this {
    return this.#with(
      { compactionStrategy: strategy, contextConfig: this.contextConfig ?? defaultContextConfig },
      () => (this.compactionStrategy = strategy),
    );
  }

  /** Null: no limit. */
  withExecutionLimits(limits: ExecutionLimits | null): this {
    return this.#with(limits === null ? {} : { executionLimits: limits }, () => (this.executionLimits = limits));
  }

  withRetryConfig(config: RetryConfig): this {
    return this.#with({ retryConfig: config }, () => (this.retryConfig = config));
  }

  withCacheConfig(config: CacheConfig): this {
    return this.#with({ cacheConfig: config }, () => (this.cacheConfig = config));
  }

  withToolExecution(strategy: ToolExecutionStrategy): this {
    return this.#with({ toolExecution: strategy }, () => (this.toolExecution = strategy));
  }

  withSteeringMode(mode: QueueMode): this {
    this.steeringMode = checkedMode("withSteeringMode", mode);
    return this;
  }

  withFollowUpMode(mode: QueueMode): this {
    this.followUpMode = checkedMode("withFollowUpMode", mode);
    return this;
  }

  /** Adds a filter after the others. */
  withInputFilter(filter: InputFilter): this {
    const inputFilters = [...this.inputFilters, filter];
    return this.#with({ inputFilters }, () => (this.inputFilters = inputFilters));
  }

  withConfigId(configId: string): this {
    return this.#with({ configId }, () => (this.configId = configId));
  }

  /** Connects the loops to the run of a thread whose tool received this state. The state is that of one call. */
  withIn(state: ThreadState): this {
    return this.#with({ in: state }, () => (this.in = state));
  }

  withTransformContext(transform: NonNullable<AgentLoopConfig["transformContext"]>): this {
    return this.#with({ transformContext: transform }, () => (this.transformContext = transform));
  }

  withConvertToLlm(convert: NonNullable<AgentLoopConfig["convertToLlm"]>): this {
    return this.#with({ convertToLlm: convert }, () => (this.convertToLlm = convert));
  }

  /** Sets hooks. A hook that is not named stays as it is. */
  withCallbacks(callbacks: LoopCallbacks): this {
    return this.#with(callbacks, () => (this.callbacks = { ...this.callbacks, ...callbacks }));
  }

  onBeforeTurn(hook: NonNullable<LoopCallbacks["beforeTurn"]>): this {
    return this.withCallbacks({ beforeTurn: hook });
  }

  onAfterTurn(hook: NonNullable<LoopCallbacks["afterTurn"]>): this {
    return this.withCallbacks({ afterTurn: hook });
  }

  onError(hook: NonNullable<LoopCallbacks["onError"]>): this {
    return this.withCallbacks({ onError: hook });
  }

  /** The options of a loop. */
  protected loopConfig(): AgentLoopConfig {
    const optional = {
      providerOverride: this.providerOverride,
      maxTokens: this.maxTokens,
      temperature: this.temperature,
      contextConfig: this.contextConfig,
      compactionStrategy: this.contextConfig === null ? null : this.compactionStrategy,
      executionLimits: this.executionLimits,
      transformContext: this.transformContext,
      convertToLlm: this.convertToLlm,
      configId: this.configId,
      in: this.in,
    };
    return {
      modelConfig: this.modelConfig,
      thinkingLevel: this.thinkingLevel,
      toolExecution: this.toolExecution,
      cacheConfig: this.cacheConfig,
      retryConfig: this.retryConfig,
      inputFilters: this.inputFilters,
      ...this.callbacks,
      ...(Object.fromEntries(
        Object.entries(optional).filter(([, value]) => value !== null),
      ) as Partial<AgentLoopConfig>),
    };
  }

  #with(option: Partial<AgentLoopConfig>, set: () => unknown): this {
    checkConfig({ modelConfig: this.modelConfig, ...option });
    set();
    return this;
  }
}

function checkedMode(name: string, mode: QueueMode): QueueMode {
  if (mode === "OneAtATime" || mode === "All") return mode;
  throw new LoopError(`${name} takes "OneAtATime" or "All", and was given ${String(mode)}.`);
}
