// The key is read from AWS_BEARER_TOKEN_BEDROCK, and the region from AWS_REGION. Prices of AWS differ between regions: state inputPrice and
// outputPrice for costs and budgets.
import { defineModel } from "threadhold";

export default defineModel({
  name: "default",
  provider: "bedrock",
  model: "global.anthropic.claude-sonnet-5",
  contextWindow: 1_000_000,
  capabilities: { vision: true, functionCalling: true },
});
