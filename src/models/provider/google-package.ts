// The part of Google's package that a request needs. A bundle leaves out the rest of the package, such as images, videos and embeddings,
// because this file imports the class by its name and is itself imported when a request needs it.

export { GoogleGenerativeAILanguageModel } from "@ai-sdk/google/internal";
