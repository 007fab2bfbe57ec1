// The entry `threadhold/tools/openapi`: the operations of APIs with an OpenAPI document as tools. The generated registry imports it if the
// project has files in `agents/openapi/`.

export { openTools } from "./api-tools.ts";
