// Collects the findings of a build. Every check adds its findings, with their positions in the source.

import type { Diagnostic, DiagnosticCode } from "#spec/diagnostic.ts";

import type { DefinitionPath, SourcePosition, SyntaxTrees } from "./syntax-tree.ts";

/** A finding about a file. */
interface Finding {
  code: DiagnosticCode;
  file: string;
  message: string;
  /** The part of the default export that the finding is about. */
  path?: DefinitionPath;
  /** Whether to point at the property's name or its value. */
  target?: "key" | "value";
  /** The position, if the caller knows it. */
  position?: SourcePosition | undefined;
  suggestion?: string | undefined;
  notes?: string[];
}

export interface Findings {
  readonly all: readonly Diagnostic[];
  readonly error: (finding: Finding) => void;
  readonly warning: (finding: Finding) => void;
}

/** Creates the collection, which looks up positions in the syntax trees. */
export function collectFindings(trees: SyntaxTrees): Findings {
  const all: Diagnostic[] = [];

  function add(severity: Diagnostic["severity"], finding: Finding): void {
    const { code, file, message, suggestion, notes } = finding;
    const place = finding.position ?? (finding.path && trees.locate(file, finding.path, finding.target));
    const same = all.find(
      (one) =>
        one.code === code &&
        one.file === file &&
        one.message === message &&
        one.line === place?.line &&
        one.column === place?.column,
    );
    if (same && place) {
      // The same error of a shared file, found by several definitions.
      same.notes = [...new Set([...(same.notes ?? []), ...(notes ?? [])])];
      return;
    }
    all.push({
      severity,
      code,
      message,
      file,
      ...place,
      ...(suggestion === undefined ? {} : { suggestion }),
      ...(notes === undefined ? {} : { notes }),
    });
  }

  return {
    all,
    error: (finding) => add("error", finding),
    warning: (finding) => add("warning", finding),
  };
}

/** Sorted by file, line and column; errors before warnings at the same position. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return diagnostics.toSorted(
    (one, other) =>
      compare(one.file, other.file) ||
      (one.line ?? 0) - (other.line ?? 0) ||
      (one.column ?? 0) - (other.column ?? 0) ||
      compare(one.severity, other.severity),
  );
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
