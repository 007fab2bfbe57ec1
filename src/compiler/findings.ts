// The findings of one build: every check adds to them, each with the place in the source that it is about.

import type { Diagnostic, DiagnosticCode } from "#spec/diagnostic.ts";

import type { DefinitionPath, SourcePlace, SyntaxTrees } from "./syntax-tree.ts";

/** What a check says about a file. */
interface Finding {
  code: DiagnosticCode;
  file: string;
  message: string;
  /** The part of the default export that is meant. */
  path?: DefinitionPath;
  /** Point at the property's name instead of its value. */
  target?: "key" | "value";
  /** A place that is known already. */
  place?: SourcePlace | undefined;
  suggestion?: string | undefined;
  notes?: string[];
}

export interface Findings {
  readonly all: readonly Diagnostic[];
  readonly error: (finding: Finding) => void;
  readonly warning: (finding: Finding) => void;
}

/** Collects findings and looks their places up. */
export function collectFindings(trees: SyntaxTrees): Findings {
  const all: Diagnostic[] = [];

  function add(severity: Diagnostic["severity"], finding: Finding): void {
    const { code, file, message, suggestion, notes } = finding;
    const place = finding.place ?? (finding.path && trees.locate(file, finding.path, finding.target));
    const same = all.find(
      (one) =>
        one.code === code &&
        one.file === file &&
        one.message === message &&
        one.line === place?.line &&
        one.column === place?.column,
    );
    if (same && place) {
      // One fault in a shared file, met by several definitions.
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

/** By file, then line, then column; errors before warnings at one place. */
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
