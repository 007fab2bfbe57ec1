// A first word for each demo agent of this repository, so that a visitor sees it at work with one click. Agents that are not
// named here begin empty.

/** By the agent's name. */
export const starters: Readonly<Record<string, string>> = {
  assistant: "What is a thread?",
  author: "A line for our bicycles",
  concierge: "When is the pool open?",
  debate: "Every town should have a tram.",
  forecaster: "What is the weather?",
  picture_desk: 'Draw a badge with "Well done"',
  purchaser: "An espresso machine for 900",
  reporter: "Write about threads and tools",
  support_desk: "I want a refund for order 1042",
};
