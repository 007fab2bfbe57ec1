// The part of OpenAI's package that a request needs. A bundle leaves out the rest of the package, such as images, speech and transcription,
// because this file imports the classes by their names and is itself imported when a request needs it.

export { OpenAIChatLanguageModel, OpenAIResponsesLanguageModel } from "@ai-sdk/openai/internal";
