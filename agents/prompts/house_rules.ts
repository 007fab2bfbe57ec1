// Included by the prompts of the assistants that run on a real model.

import { definePrompt } from "threadhold";

export default definePrompt({
  name: "house_rules",
  toolDescription: "Rules that every assistant of this project keeps",
  model: "demo",
  prompt:
    "You are a helpful assistant. Answer briefly and in the language of the person. " +
    "Search the handbook for anything about Threadhold. Say so when you do not know.",
});
