// Everything a run is given.

import type { RunRecord } from "../record.ts";
import type { Scope } from "../scope.ts";
import type { ResultBounds } from "../tools/read-result.ts";
import type { AnswerFiles } from "./answer-files.ts";
import type { Clock } from "./clock.ts";
import type { EventSink } from "./event-sink.ts";
import type { Faults } from "./faults.ts";
import type { Ids } from "./ids.ts";
import type { LimitPort } from "./limit-port.ts";
import type { ModelPort } from "./model-port.ts";
import type { RunJournal } from "./run-journal.ts";
import type { Steering } from "./steering.ts";
import type { LoopHooks, StepPort } from "./step-port.ts";
import type { Strategy } from "./strategy.ts";

/** The current `state.context` of definitions. They may change the object or assign another one. */
export interface LiveContext {
  current: Record<string, unknown>;
}

/** The ports of one run. `run` is the run's working record, changed in place by the loop and saved by the journal. */
export interface RunPorts {
  readonly run: RunRecord;
  /** The line that is driven: the run's own, or a sub-prompt's. */
  readonly scope: Scope;
  readonly journal: RunJournal;
  readonly sink: EventSink;
  readonly models: ModelPort;
  readonly steps: StepPort;
  readonly strategy: Strategy;
  readonly hooks: LoopHooks;
  /** Left out: nobody can speak up while the run is under way. */
  readonly steering?: Steering;
  /** Left out: long texts of tools are cut, and what they attach is dropped. */
  readonly answers?: AnswerFiles;
  /** Bounds of the stored part of a tool's result. Default: what fits a row. */
  readonly resultBounds?: ResultBounds;
  /** Left out: nothing bounds the run but its strategy. */
  readonly limits?: LimitPort;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly faults: Faults;
  /**
   * Number of a line's last step whose row is known to be written: the last whose `step_end` rides in a log row. A later
   * step was cut behind its answer, and its end is told again. Left out where that is not known: then only a step with
   * open calls is taken up.
   */
  readonly committed?: (line: Scope) => number;
  /**
   * The definitions' live `state.context`, which may hold anything. `run.context` is its last copy that a row can hold,
   * taken whenever a step's row is written; it must be another object. Left out: nothing is copied.
   */
  readonly context?: Readonly<LiveContext>;
  /** `execution.stop()` was called: the run ends before its next step. */
  stopAsked(): boolean;
}
