// The package entry `threadhold/agents/middleware`.

export { logging } from "./logging.ts";
export type { LoggedFacts, LoggingLevel, LoggingOptions } from "./logging.ts";
