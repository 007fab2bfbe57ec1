// The public entry `threadhold/react/assistant-ui`.

export { useThreadholdRuntime } from "./use-threadhold-runtime.ts";
export type { ThreadholdRuntimeOptions } from "./use-threadhold-runtime.ts";
