// Valid names. Names that a model can call follow the strictest rule of all providers; other names may contain almost any character.

const toolName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** Whether all providers accept a name as the name of a tool. */
export function isToolName(name: string): boolean {
  return toolName.test(name) && name !== "__proto__";
}

/** Whether a model, prompt or agent can have this name. */
export function isDefinitionName(name: string): boolean {
  return name.trim() === name && name.length <= 128 && !/[\p{Cc}\p{Cs}]/u.test(name) && name !== "__proto__";
}
