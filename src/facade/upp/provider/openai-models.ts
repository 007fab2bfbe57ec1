// The models of OpenAI. Their key is read from `OPENAI_API_KEY` unless the settings contain a key.

import { createProvider } from "../create-provider.ts";

/** Creates references to models of OpenAI. */
const openai = createProvider({ protocol: "openai" });

export default openai;
