// Refusals of clouds because of a wrong setting: their texts and shapes, as their documentation and public reports have them. Each case names
// what a user changes: a variable, or a field of the definition.

import { cases, ofGoogle, ofOpenai, type HintCase } from "./hint-case.ts";

const ofAws = (text: string) => ({ message: text });

const resource = { AZURE_RESOURCE_NAME: "team" };
const azureKey = { ...resource, AZURE_OPENAI_API_KEY: "azure-key" };
const client = { ...resource, AZURE_TENANT_ID: "tenant", AZURE_CLIENT_ID: "client", AZURE_CLIENT_SECRET: "secret~1" };
const deployment = { provider: "azure", model: "my-gpt" } as const;
const entra = "eyJhbGciOiJSUzI1NiJ9.eyJhdWQiOiIifQ.c2ln";
const ofEntra = (error: string) => (text: string) => ({ error, error_description: text, error_codes: [1] });
const login = { host: "login.microsoftonline.com" };
const missingApplication =
  "AADSTS700016: Application with identifier '5f0e8d1b-1c6e-7d2b-4f0e-9d1b1c6e7d2b' was not found in the directory 'Team'. This can happen if the application has not been installed by the administrator of the tenant or consented to by any user in the tenant. You may have sent your authentication request to the wrong tenant. Trace ID: 7a1f8d1b-1c6e-7d2b-4f0e-9d1b1c6e7d00 Correlation ID: 8b1f8d1b-1c6e-7d2b-4f0e-9d1b1c6e7d01 Timestamp: 2026-01-01 12:00:00Z";
const missing =
  "The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.";
const wrongKey =
  "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.";

const azure: HintCase[] = [
  ...cases("Azure", { definition: deployment, env: azureKey, body: ofOpenai }, [
    [401, wrongKey, ["AZURE_OPENAI_API_KEY", "AZURE_RESOURCE_NAME"]],
    [404, missing, ['deployment is "my-gpt"', "AZURE_RESOURCE_NAME"]],
    [404, "Resource not found", ['deployment is "my-gpt"', "AZURE_RESOURCE_NAME"]],
    [400, "Unknown model: gpt-9", ['deployment is "my-gpt"']],
    [400, "The model 'gpt-4o-audio-preview' is not supported with the Responses API.", ['api: "chat"']],
    [403, "Access denied due to Virtual Network/Firewall rules.", ["network settings", "AZURE_RESOURCE_NAME"]],
    [403, "Public access is disabled. Please configure private endpoint.", ["network settings"]],
    [null, "Network connection lost.", ['deployment is "my-gpt"', "AZURE_RESOURCE_NAME"]],
  ]),
  ...cases(
    "Azure at an address with a version",
    {
      definition: deployment,
      env: {
        AZURE_API_KEY: "azure-key",
        AZURE_BASE_URL: "https://team.openai.azure.com/openai?api-version=2024-02-01",
      },
      body: ofOpenai,
    },
    [
      [
        400,
        "Azure OpenAI Responses API is enabled only for api-version 2025-03-01-preview and later",
        ["api-version", "AZURE_BASE_URL"],
      ],
      [404, "API version not supported", ["api-version", "AZURE_BASE_URL"]],
    ],
  ),
  ...cases(
    "Azure with Chat Completions",
    { definition: { ...deployment, api: "chat" }, env: azureKey, body: ofOpenai },
    [
      [
        400,
        "The chatCompletion operation does not work with the specified model, gpt-5-codex. Please choose different model and try again.",
        ['api: "responses"'],
      ],
      [404, missing, ['deployment is "my-gpt"']],
    ],
  ),
  ...cases(
    "Azure with a token of Entra ID",
    { definition: deployment, env: { ...resource, AZURE_OPENAI_AD_TOKEN: entra }, body: ofOpenai },
    [
      [
        401,
        "Unauthorized. Access token is missing, invalid, audience is incorrect (https://cognitiveservices.azure.com), or have expired.",
        ["AZURE_OPENAI_AD_TOKEN", "AZURE_CLIENT_SECRET"],
      ],
      [
        401,
        "The principal `0000-1111` lacks the required data action `Microsoft.CognitiveServices/accounts/OpenAI/responses/write` to perform `POST /openai/v1/responses` operation.",
        ["Cognitive Services OpenAI User", "AZURE_OPENAI_AD_TOKEN"],
      ],
    ],
  ),
  ...cases("the tokens of Azure", { definition: deployment, env: client, body: ofEntra("invalid_client") }, [
    [
      401,
      "AADSTS7000215: Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app 'client'.",
      ["Set a new value of AZURE_CLIENT_SECRET"],
      login,
    ],
    [
      401,
      "AADSTS7000215: Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '5f0e8d1b-1c6e-7d2b-4f0e-9d1b1c6e7d2b'. Trace ID: 7a1f8d1b-1c6e-7d2b-4f0e-9d1b1c6e7d00 Correlation ID: 8b1f8d1b-1c6e-7d2b-4f0e-9d1b1c6e7d01 Timestamp: 2026-01-01 12:00:00Z",
      ["Set a new value of AZURE_CLIENT_SECRET"],
      login,
    ],
    [
      401,
      "AADSTS7000222: The provided client secret keys for app 'client' are expired. Visit the Azure portal to create new keys for your app.",
      ["Set a new value of AZURE_CLIENT_SECRET"],
      login,
    ],
    [
      400,
      "AADSTS700016: Application with identifier 'client' was not found in the directory 'tenant'.",
      ["Check AZURE_CLIENT_ID"],
      login,
    ],
    [
      400,
      // The whole text of Entra is longer than the bound of a failure, which has its beginning.
      "AADSTS700016: Application with identifier '5f0e8d1b-1c6e-7d2b-4f0e-9d1b1c6e7d2b' was not found in the directory 'Team'. This can happen if",
      ["Check AZURE_CLIENT_ID", "the tenant of AZURE_TENANT_ID"],
      { ...login, body: ofEntra("unauthorized_client")(missingApplication) },
    ],
    [
      400,
      "AADSTS90002: Tenant 'tenant' not found. Check to make sure you have the correct tenant ID and are signing into the correct cloud.",
      ["Check AZURE_TENANT_ID"],
      login,
    ],
  ]),
];

const place = { GOOGLE_VERTEX_PROJECT: "team-project", GOOGLE_VERTEX_LOCATION: "europe-west4" };
const token = { ...place, GOOGLE_VERTEX_ACCESS_TOKEN: "ya29.token" };
const gemini = { provider: "vertex", model: "gemini-2.5-pro" } as const;
const claude = { provider: "vertex", model: "claude-sonnet-4-5@20250929" } as const;
const ofGrant = (text: string) => ({ error: "invalid_grant", error_description: text });
const oauth = { host: "oauth2.googleapis.com" };
const publisher = (name: string): string =>
  `Publisher Model \`projects/team-project/locations/europe-west4/publishers/${name}\` was not found or your project does not have access to it. Please ensure you are using a valid model version.`;

function vertex(serviceAccount: Record<string, string>): HintCase[] {
  const account = { ...place, ...serviceAccount };
  return [
    ...cases("Gemini at Vertex AI", { definition: gemini, env: token, body: ofGoogle }, [
      [
        401,
        "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
        ["GOOGLE_VERTEX_ACCESS_TOKEN", "GOOGLE_PRIVATE_KEY"],
      ],
      [
        403,
        "Vertex AI API has not been used in project team-project before or it is disabled. Enable it by visiting https://console.developers.google.com/apis/api/aiplatform.googleapis.com/overview?project=team-project then retry.",
        ["GOOGLE_VERTEX_PROJECT"],
      ],
      [
        403,
        "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/team-project/locations/europe-west4/publishers/google/models/gemini-2.5-pro' (or it may not exist).",
        ["GOOGLE_VERTEX_PROJECT", "roles/aiplatform.user"],
      ],
      [403, "Permission denied on resource project team-project.", ["GOOGLE_VERTEX_PROJECT"]],
      [
        404,
        publisher("google/models/gemini-2.5-pro"),
        ['model is "gemini-2.5-pro"', "GOOGLE_VERTEX_PROJECT and GOOGLE_VERTEX_LOCATION"],
      ],
      [null, "Network connection lost.", ["GOOGLE_VERTEX_LOCATION"]],
    ]),
    ...cases(
      "Gemini at Vertex AI with a key",
      { definition: gemini, env: { GOOGLE_VERTEX_API_KEY: "AIza-key" }, body: ofGoogle },
      [
        [
          401,
          "API keys are not supported by this API. Expected OAuth2 access token or other authentication credentials that assert a principal. See https://cloud.google.com/docs/authentication",
          ["GOOGLE_VERTEX_API_KEY", "GOOGLE_CLIENT_EMAIL"],
        ],
        [400, "API key not valid. Please pass a valid API key.", ["GOOGLE_VERTEX_API_KEY"]],
      ],
    ),
    ...cases("Claude at Vertex AI", { definition: claude, env: token, body: ofGoogle }, [
      [
        404,
        publisher("anthropic/models/claude-sonnet-4-5@20250929"),
        ['"claude-sonnet-4-5@20250929"', "GOOGLE_VERTEX_LOCATION"],
      ],
      [
        400,
        "Publisher Model `projects/team-project/locations/europe-west4/publishers/anthropic/models/claude-sonnet-4-5@20250929` is not servable in region europe-west4.",
        ["GOOGLE_VERTEX_LOCATION"],
      ],
    ]),
    ...cases("the tokens of Vertex AI", { definition: gemini, env: account, body: ofGrant }, [
      [
        400,
        "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. Check your iat and exp values in the JWT claim.",
        ["clock of this machine"],
        oauth,
      ],
      [400, "Invalid JWT Signature.", ["GOOGLE_PRIVATE_KEY"], oauth],
      [400, "Invalid grant: account not found", ["GOOGLE_CLIENT_EMAIL"], oauth],
    ]),
  ];
}

const region = { AWS_REGION: "eu-central-1" };
const bearer = { ...region, AWS_BEARER_TOKEN_BEDROCK: "bedrock-key" };
const signed = {
  ...region,
  AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
  AWS_SECRET_ACCESS_KEY: "aws-secret",
  AWS_SESSION_TOKEN: "aws-session",
};
const nova = { provider: "bedrock", model: "amazon.nova-2-lite-v1:0" } as const;
const bedrockClaude = { provider: "bedrock", model: "anthropic.claude-sonnet-4-5-20250929-v1:0" } as const;
const type = (name: string): Partial<HintCase> => ({
  headers: { "x-amzn-errortype": `${name}:http://internal.amazon.com/` },
});

const bedrock: HintCase[] = [
  ...cases("Bedrock with a key", { definition: nova, env: bearer, body: (Message) => ({ Message }) }, [
    [403, "Authentication failed: Please make sure your API Key is valid.", ["AWS_BEARER_TOKEN_BEDROCK", "AWS_REGION"]],
    [403, "Bearer Token has expired", ["AWS_BEARER_TOKEN_BEDROCK"]],
    [null, "Network connection lost.", ["AWS_REGION"]],
  ]),
  ...cases("Converse", { definition: nova, env: bearer, body: ofAws }, [
    [
      400,
      "Invocation of model ID amazon.nova-2-lite-v1:0 with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.",
      ['model: "eu.amazon.nova-2-lite-v1:0"'],
      type("ValidationException"),
    ],
    [
      400,
      "The provided model identifier is invalid.",
      ['"amazon.nova-2-lite-v1:0"', "AWS_REGION"],
      type("ValidationException"),
    ],
    [404, "Model not found.", ["AWS_REGION"], type("ResourceNotFoundException")],
    [
      400,
      "This action doesn't support the model that you provided. Try again with a supported text or chat model.",
      ["choose another model"],
      type("ValidationException"),
    ],
  ]),
  ...cases("Claude at Bedrock", { definition: bedrockClaude, env: bearer, body: ofAws }, [
    [
      403,
      "You don't have access to the model with the specified model ID.",
      ["the region eu-central-1"],
      type("AccessDeniedException"),
    ],
    [
      404,
      "Model use case details have not been submitted for this account. Fill out the Anthropic use case details form before using the model.",
      ["Request access to"],
      type("ResourceNotFoundException"),
    ],
    [
      404,
      "Access denied. This Model is marked by provider as Legacy and you have not been actively using the model in the last 30 days. Please upgrade to an active model on Amazon Bedrock",
      ['model of the definition "the model"'],
      type("ResourceNotFoundException"),
    ],
  ]),
  ...cases("signed requests to Bedrock", { definition: bedrockClaude, env: signed, body: ofAws }, [
    [
      403,
      "The security token included in the request is expired",
      ["AWS_SESSION_TOKEN"],
      type("ExpiredTokenException"),
    ],
    [
      403,
      "The security token included in the request is invalid.",
      ["AWS_ACCESS_KEY_ID"],
      type("UnrecognizedClientException"),
    ],
    [
      403,
      "Signature expired: 20260101T000000Z is now earlier than 20260101T001000Z (20260101T001500Z - 5 min.)",
      ["clock of this machine"],
      type("InvalidSignatureException"),
    ],
    [
      403,
      "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.",
      ["AWS_SECRET_ACCESS_KEY"],
      type("InvalidSignatureException"),
    ],
    [403, "Credential should be scoped to a valid region.", ["AWS_REGION"], type("InvalidSignatureException")],
    [
      403,
      "User: arn:aws:iam::123456789012:user/me is not authorized to perform: bedrock:InvokeModelWithResponseStream on resource: arn:aws:bedrock:eu-central-1::foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0 because no identity-based policy allows the action",
      ["bedrock:InvokeModelWithResponseStream", "AWS_ACCESS_KEY_ID"],
      type("AccessDeniedException"),
    ],
  ]),
];

/** The refusals of all clouds. `serviceAccount` has the variables of an account of Google. */
export const cloudRefusals = (serviceAccount: Record<string, string>): HintCase[] => [
  ...azure,
  ...vertex(serviceAccount),
  ...bedrock,
];
