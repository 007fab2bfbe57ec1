// The models of Google. Their key is read from `GOOGLE_API_KEY` unless the settings contain a key.

import { createProvider } from "../create-provider.ts";

/** Creates references to models of Google. */
const google = createProvider({ protocol: "google" });

export default google;
