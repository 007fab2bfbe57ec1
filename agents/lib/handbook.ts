// The knowledge of the demo assistant: a few pages about threads. Your project would search its own documents.

/** One page of the handbook. */
export interface Page {
  title: string;
  text: string;
}

/** The whole handbook. */
export const handbook: readonly Page[] = [
  {
    title: "Threads",
    text: "A thread is a durable conversation. It is one Durable Object that keeps its messages, runs and logs in its own SQLite database, so it survives crashes, restarts and deploys.",
  },
  {
    title: "Runs and steps",
    text: "A run is one activation of the loop, from your message to rest. It is made of steps: one model call and the tools it asked for.",
  },
  {
    title: "Events",
    text: "Everything that happens is an event with a rising number. Follow a thread over SSE or WebSocket, leave, and come back with the last number you saw: nothing is lost.",
  },
  {
    title: "Tools",
    text: "A tool is a file in agents/tools. It gets the thread's state and checked arguments, and returns a result or streams its progress first.",
  },
  {
    title: "Models",
    text: "A model is a file in agents/models. Put a provider's key into .dev.vars and name that model in a prompt to leave the scripted demo model behind.",
  },
];

/** Pages that share a word with the question, best match first. */
export function searchHandbook(question: string): Page[] {
  const words = wordsOf(question);
  return handbook
    .map((page) => ({
      page,
      hits: wordsOf(`${page.title} ${page.title} ${page.text}`).filter((word) => words.includes(word)).length,
    }))
    .filter(({ hits }) => hits > 0)
    .sort((left, right) => right.hits - left.hits)
    .map(({ page }) => page);
}

const tooCommon = new Set(
  "what this that with your from have does about tell please and the are how can you its for was not".split(" "),
);

/** The words to search for, without plural endings. */
function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length > 2 && !tooCommon.has(word))
    .map((word) => word.replace(/s$/, ""));
}
