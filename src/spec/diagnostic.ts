// What the compiler found wrong, in a form that a terminal, `/healthz` and a page can all show.
// Generated into `.threadhold/diagnostics.ts` when a build fails.

/** The kinds of findings. */
export type DiagnosticCode =
  /** The file is no valid TypeScript or JavaScript. */
  | "syntax"
  /** An import leads nowhere, or names an export that is not there. */
  | "import"
  /** A type error that TypeScript finds; always a warning. */
  | "type"
  /** The module threw, or never finished, while it was loaded. */
  | "evaluation"
  /** A file name no definition or route can have. */
  | "bad_file_name"
  /** A `name` no definition can have. */
  | "bad_name"
  | "missing_default_export"
  /** The default export is another kind of definition than its folder holds. */
  | "wrong_kind"
  /** A field is missing or has the wrong type. */
  | "invalid_field"
  | "unknown_field"
  /** An option that the types accept and the runtime does not support yet. */
  | "not_available"
  | "duplicate_name"
  | "unknown_model"
  | "unknown_prompt"
  /** A name in `tools`, `stopTool`, `endSessionTool` or `dependsOn` that is no tool, prompt or agent. */
  | "unknown_tool"
  | "include_cycle"
  | "missing_side_b"
  | "missing_stop_property"
  | "missing_tool_description"
  /** A stop tool that its side's prompt does not offer. */
  | "unreachable_tool"
  | "invalid_schema"
  /** A tool whose function takes arguments that no schema describes. */
  | "missing_schema"
  | "unknown_hook"
  | "route_conflict"
  | "route_shadows_built_in"
  | "reserved_route"
  /** A thread endpoint on a route without a dynamic segment. */
  | "missing_thread_segment"
  /** There is nothing to serve. */
  | "no_definitions";

/** One finding. Errors fail the build, warnings do not. */
export interface Diagnostic {
  severity: "error" | "warning";
  code: DiagnosticCode;
  message: string;
  /** Path from the project's root, with forward slashes. */
  file: string;
  /** From 1; absent when the finding is about the file as a whole. */
  line?: number;
  /** From 1. */
  column?: number;
  /** What was probably meant. */
  suggestion?: string;
  /** More lines of help. */
  notes?: string[];
  /** The source line, for a code frame. */
  source?: string;
}
