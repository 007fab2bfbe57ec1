// The models of Google. Their key is read from `GOOGLE_API_KEY` unless the settings have one.

import { createProvider } from "../create-provider.ts";

/** Makes references to models of Google. */
const google = createProvider({ protocol: "google" });

export default google;
