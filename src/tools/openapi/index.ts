// The entry `threadhold/tools/openapi`: the operations of APIs with an OpenAPI document as tools. The generated registry imports it if the
// project has files in `agents/openapi/`, and programs use `openApiTools`.

export { openTools } from "./api-tools.ts";
export type { ProgramTool } from "../program-tool.ts";
export { openApiTools } from "./program-api.ts";
export type { ProgramApi, ProgramApiOptions } from "./program-api.ts";
