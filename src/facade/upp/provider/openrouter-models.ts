// The models of OpenRouter. Their key is read from `OPENROUTER_API_KEY` unless the settings contain a key.

import { createProvider } from "../create-provider.ts";

/** Creates references to models of OpenRouter. */
const openrouter = createProvider({ protocol: "openrouter" });

export default openrouter;
