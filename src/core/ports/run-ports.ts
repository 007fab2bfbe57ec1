// The ports of a run: everything that the loop uses from outside.

import type { MessageRecord } from "../record/record.ts";
import type { ExecutedRun } from "../record/run-record.ts";
import type { CommittedSteps } from "../record/run-state.ts";
import type { Scope } from "../record/scope.ts";
import type { CallContext, CallSlot, SettledSlot } from "../tools/call-slot.ts";
import type { ResultSettings } from "../tools/read-result.ts";
import type { AnswerFiles } from "./answer-file-port.ts";
import type { Clock } from "./clock.ts";
import type { CompactionPort } from "./compaction-port.ts";
import type { EventSink } from "./event-sink.ts";
import type { Faults } from "./faults.ts";
import type { LoopHooks } from "./hook-port.ts";
import type { Ids } from "./ids.ts";
import type { LimitPort } from "./limit-port.ts";
import type { ModelFailure, ModelPort } from "./model-port.ts";
import type { RunJournal } from "./run-journal.ts";
import type { Steering } from "./steering.ts";
import type { StepPort } from "./step-port.ts";
import type { Strategy } from "./strategy-port.ts";
import type { ClosableExecutions } from "./tool-host.ts";

/** The current `state.context` of definitions. They may change the object or assign another one. */
export interface LiveContext {
  current: Record<string, unknown>;
}

/** The ports of one run. `run` is the run's working record, changed in place by the loop and saved by the journal. */
export interface RunPorts {
  readonly run: ExecutedRun;
  /** The messages of this loop: the main loop's, or a sub-prompt's. */
  readonly scope: Scope;
  readonly journal: RunJournal;
  readonly sink: EventSink;
  readonly models: ModelPort;
  /**
   * Decides in place of the model's retry options after a model request failed: milliseconds before the next attempt, or null for no
   * further one. `attempt` is the number of the failed attempt, from 1. Contract: never throws or rejects, and resolves soon after the run's
   * signal has fired.
   */
  readonly retryDelay?: (failure: ModelFailure, attempt: number) => number | null | Promise<number | null>;
  readonly steps: StepPort;
  readonly strategy: Strategy;
  /** If absent, no step is compacted. */
  readonly compaction?: CompactionPort;
  readonly hooks: LoopHooks;
  /** If absent, no message can join the run. */
  readonly steering?: Steering;
  /** If absent, long texts of tools are cut, and attachments are dropped, unless `results` keeps them. */
  readonly answers?: AnswerFiles;
  /** The bounds of results, and the texts of error results. Default: those of a thread. */
  readonly results?: ResultSettings;
  /** If absent, only the strategy ends the run. */
  readonly limits?: LimitPort;
  /** Creates the executions of models that a tool's function runs in its call. If absent, a call runs none: the run is not a thread's. */
  readonly executions?: (message: MessageRecord, callId: string, context: CallContext) => ClosableExecutions;
  /**
   * Replaces the new calls of a step that take the result of a settled call, in place, and stores these results. If absent, every new call
   * runs.
   */
  readonly reuse?: (slots: (CallSlot | SettledSlot)[], context: CallContext) => Promise<void>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly faults: Faults;
  /**
   * The stored progress of a scope's loop when this execution began. A step after the committed one was interrupted after its answer; its
   * end is written when the run resumes. If absent, only a step with open calls is resumed.
   */
  readonly committed?: (scope: Scope) => CommittedSteps;
  /**
   * The current `state.context` of definitions, which may contain any value. `run.progress.context` is the last copy of it that fits a row;
   * the copy is made whenever a step's row is written. If absent, nothing is copied.
   */
  readonly context?: Readonly<LiveContext>;
  /** Whether `execution.stop()` was called. The run then ends before its next step. */
  stopAsked(): boolean;
}
