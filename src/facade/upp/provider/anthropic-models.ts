// The models of Anthropic. Their key is read from `ANTHROPIC_API_KEY` unless the settings have one.

import { createProvider } from "../create-provider.ts";

/** Makes references to models of Anthropic. */
const anthropic = createProvider({ protocol: "anthropic" });

export default anthropic;
