// The entry `threadhold/tools/web`: a tool that reads a web page.

import { createFetchUrlTool } from "./fetch-url.ts";

export { createFetchUrlTool } from "./fetch-url.ts";
export type { FetchUrlOptions } from "./fetch-url.ts";

/** The tool `fetch_url` with its default options. */
export const fetchUrl = createFetchUrlTool();
