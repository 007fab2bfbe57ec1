// Every provider fulfils the port's contract.

import { providers } from "./ask-model.ts";
import { modelPortContract } from "./port-contract.ts";

for (const provider of [...providers, "workers-ai", "own_sdk", "own_function"] as const) modelPortContract(provider);
