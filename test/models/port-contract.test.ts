// Every provider fulfils the port's contract.

import { providers } from "./ask-model.ts";
import { modelPortContract } from "./port-contract.ts";

for (const provider of [...providers, "workers-ai"] as const) modelPortContract(provider);
