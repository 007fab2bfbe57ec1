// What may be a name. Tools, and whatever else a model can call, follow the narrowest rule of the providers;
// names that only definitions and people use may be almost anything.

const toolName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** Whether a name can be given to a model as a tool's. */
export function isToolName(name: string): boolean {
  return toolName.test(name) && name !== "__proto__";
}

/** Whether a model, prompt or agent can have this name. */
export function isDefinitionName(name: string): boolean {
  return name.trim() === name && name.length <= 128 && !/[\p{Cc}\p{Cs}]/u.test(name) && name !== "__proto__";
}
