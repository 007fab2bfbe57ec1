// Refuses options that the types accept and the runtime does not support yet, so that no option is ignored silently. An entry is
// removed when the runtime supports the option. docs/design/status.md has the same list.

import type { Findings } from "./findings.ts";
import type { Project } from "./project.ts";

/** Reports every option in the project that would have no effect. */
export function checkAvailability(project: Project, findings: Findings): void {
  for (const { file, value } of project.tools) {
    if (value[2] !== undefined || (value.options?.needsApproval ?? false) === false) continue;
    findings.warning({
      code: "not_available",
      file,
      path: ["argument:3", "needsApproval"],
      message: "needsApproval does nothing on a remote tool: the client that runs the call asks for approval itself",
    });
  }
}
