// Errors of this entry. A wrong option or call throws a LoopError before anything is sent; a tool throws a ToolError.

/** A call or an option that is refused before anything is sent. The message names the option, its value and what to do. */
export class LoopError extends Error {
  override readonly name = "LoopError";
}
