// The findings of the compiler: errors and warnings, in a form that the terminal, `/healthz` and the playground can show. A
// failed build writes them to `.threadhold/diagnostics.ts`.

/** Kinds of findings. */
export type DiagnosticCode =
  /** The file is not valid TypeScript or JavaScript. */
  | "syntax"
  /** An import that cannot be resolved, or that names an export that does not exist. */
  | "import"
  /** A type error: an error of `threadhold check` and `threadhold deploy`, a warning of any other build. */
  | "type"
  /** The module threw an exception or did not finish while it was loaded. */
  | "evaluation"
  /** A file name that no definition or route may have. */
  | "bad_file_name"
  /** A `name` that no definition may have. */
  | "bad_name"
  | "missing_default_export"
  /** The default export is a definition of another kind than the folder's. */
  | "wrong_kind"
  /** A definition outside of the folders of definitions, which is not compiled. */
  | "misplaced"
  /** A field is missing or has the wrong type. */
  | "invalid_field"
  | "unknown_field"
  /** An option that the types accept and the runtime does not support yet. */
  | "not_available"
  | "duplicate_name"
  | "unknown_model"
  /** The provider's id of a model looks like a typing error of an id in the catalogue. */
  | "unknown_model_id"
  /** A prompt has tools, and its model has none by the catalogue. */
  | "missing_capability"
  | "unknown_provider"
  | "unknown_prompt"
  /** A name in `tools`, `stopTool`, `endSessionTool` or `dependsOn` that is not a tool, prompt or agent. */
  | "unknown_tool"
  | "unknown_strategy"
  /** A name in `skills` of a prompt that is not a folder of `agents/skills/`. */
  | "unknown_skill"
  | "include_cycle"
  | "missing_side_b"
  | "missing_stop_property"
  | "missing_tool_description"
  /** A stop tool that the prompt of its side does not list in `tools`. */
  | "unreachable_tool"
  | "invalid_schema"
  /** A tool whose function takes arguments although the tool has no schema. */
  | "missing_schema"
  | "unknown_hook"
  | "route_conflict"
  | "route_shadows_built_in"
  | "reserved_route"
  /** A thread endpoint on a route without a dynamic segment for the thread's id. */
  | "missing_thread_segment"
  /** The project defines nothing that can be served. */
  | "no_definitions";

/** One finding. An error fails the build, a warning does not. */
export interface Diagnostic {
  severity: "error" | "warning";
  code: DiagnosticCode;
  message: string;
  /** Path relative to the project's root, with forward slashes. */
  file: string;
  /** Line from 1; absent if the finding concerns the whole file. */
  line?: number;
  /** Column from 1. */
  column?: number;
  /** A likely correction, such as a similar name. */
  suggestion?: string;
  /** Additional lines of help. */
  notes?: string[];
  /** Text of the line in the file, for a code frame. */
  source?: string;
}
