// What the examples of UAP observe with their local server, in Node and in a Worker.

const allThree = ["subagent_start", "subagent_event", "subagent_end"];
const explored = [allThree, [["explorer", true, ["Grep"]]]];
const conversation = ["user", "assistant", "user", "assistant"];

/** The outcomes of the examples that run in every JavaScript runtime. */
export const portableOutcomes = {
  "2.1 type uniformity": ["Done: Hello", 2],
  "2.2 explicit state": ["Done: First message", "Done: Second message", "Done: Option A", "Done: Option B", 4, 4],
  "2.3 decoupled execution": [true, 0],
  "2.4 infinite by default": ["Done: Hello", "Done: Hello"],
  "2.6 explicit sub-agent": [["explore_codebase", false]],
  "4.4 generate": ["Done: Add error handling", true],
  "4.5 stream": [["uap", "upp"], true],
  "4.6 ask": [true, true, true],
  "4.7 query": ["4", "user"],
  "5.2 loop": [[["calculator", "42"]], [["calculator", "42"]]],
  "5.4 plan": [
    ["read", "completed", []],
    ["write", "completed", ["read"]],
  ],
  "5.5 custom strategy": [2, ["start 1", "end 1"]],
  "6.2 message operations": [["Hello", "Hi", "Goodbye"], ["Fresh start"]],
  "6.2 context window": [
    ["prune-tool-outputs", 16, ["[Output cleared - context limit]"], "Read a.ts"],
    ["sliding-window", 7, [], "Note 5"],
    ["summarize-context", 6, [], "[Previous conversation summary]"],
  ],
  "6.2 composed context": 16,
  "6.3 state flow": [0, true, conversation, ["Option A", "Option B"], 5],
  "6.4 state serialization": [true, 4],
  "7.2 thread tree": [conversation, 2, 2],
  "7.3 history": ["Root", "A", "B"],
  "8.2 explicit tool": [["explore_codebase", false]],
  "8.4 inheritance": ["claude-sonnet-5-5", [false]],
  "8.5 dependencies": ["read", "write"],
  "8.6 model-driven order": [
    ["read_file", "process", "write_file"],
    [1, 1, 0],
  ],
  "8.7 event propagation": explored,
  "8.7 event helper": explored,
  "9.2 composition": [
    "first.before()",
    "second.before()",
    "third.before()",
    "third.after()",
    "second.after()",
    "first.after()",
  ],
  "9.3 logging": [
    "[agent …] Execution started; earlier messages: …",
    "[agent …] Execution completed; answers: 1, tool calls: 0, tokens: …",
  ],
  "9.4 custom middleware": "Done: Hello",
  "10.3 stop conditions": [2, 1],
  "10.4 tool strategy": ["Step 1", "Calling Bash", "Bash completed", "Step 2", "Done"],
  "11.3 events": [[1, 2], true, 2],
  "11.4 completeness": [true, true],
  "12.4.6 custom store": [["user-123-task-456"], true, "user-123-task-456"],
  "A.2 migration": ["Done: Hello", "Done: Continue", 4],
  "B complete example": [[[["explore", false]], [["Write", false]]], true, "number"],
};

/** The outcomes of the examples that need the files of Node. */
export const nodeOutcomes = {
  "12.4.3 file checkpoints": [true, "my-session"],
  "12.4.4 resume": ["resumed", true],
};
