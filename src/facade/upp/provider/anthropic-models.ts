// The models of Anthropic. Their key is read from `ANTHROPIC_API_KEY` unless the settings contain a key.

import { createProvider } from "../create-provider.ts";

/** Creates references to models of Anthropic. */
const anthropic = createProvider({ protocol: "anthropic" });

export default anthropic;
