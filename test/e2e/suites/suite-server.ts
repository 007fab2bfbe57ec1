// The server that a suite uses. It is read when a test runs, because it is started after the suite was described.

import type { ApiClient } from "../../support/http-client/api-client.ts";
import type { DevServer } from "../dev-server.ts";
import type { ProjectCopy } from "../support/project-copy.ts";
import type { ProviderDesk } from "../support/provider-desk.ts";
import type { PictureServer } from "./attachments.ts";

export interface SuiteServer {
  readonly api: ApiClient;
  readonly server: DevServer;
  readonly project: ProjectCopy;
  readonly desk: ProviderDesk;
  readonly pictures: PictureServer;
  /** The server of two demo agents. */
  readonly demoServer: { readonly url: string; readonly close: () => Promise<void> };
}
