// The models of OpenRouter. Their key is read from `OPENROUTER_API_KEY` unless the settings have one.

import { createProvider } from "../create-provider.ts";

/** Makes references to models of OpenRouter. */
const openrouter = createProvider({ protocol: "openrouter" });

export default openrouter;
