// Converts the Worker's JSON log lines to plain text: one line for each run, red with the cause if it failed. A deployment logs the
// same lines as JSON.

// Colour codes of a terminal; matching them is the point.
const sgr = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");
const colours = { red: 31, yellow: 33 };

/**
 * The readable form of a log line; every other line unchanged.
 *
 * @param {string} line
 * @param {boolean} coloured
 */
export function plainLine(line, coloured) {
  const entry = logEntry(line);
  if (entry === null) return line;
  const { tone, text } = readable(entry);
  return coloured && tone !== null ? `\u001b[${colours[tone]}m${text}\u001b[39;22m` : text;
}

/** The JSON of a line, with or without the mark that wrangler puts before errors and warnings. */
function logEntry(line) {
  const text = /^(?:[✘▲] \[(?:ERROR|WARNING)\] )?(\{.*\})\s*$/u.exec(line.replace(sgr, ""))?.[1];
  if (text === undefined) return null;
  try {
    const entry = JSON.parse(text);
    return isOurs(entry) ? entry : null;
  } catch {
    return null;
  }
}

/** Whether the Worker wrote the entry; a tool may log other JSON. */
function isOurs({ event, cause, level, message }) {
  if (["run_end", "run_rest", "tool_failed", "internal_error"].includes(event)) return true;
  return (
    typeof event === "string" && (typeof cause === "string" || (typeof level === "string" && message !== undefined))
  );
}

/** @returns {{ tone: "red" | "yellow" | null, text: string }} */
function readable(entry) {
  const { event } = entry;
  if (event === "run_end" || event === "run_rest") return runLine(entry);
  const where = entry.thread_id === undefined || entry.thread_id === null ? "" : ` (thread ${entry.thread_id})`;
  if (event === "tool_failed") {
    return { tone: "red", text: `tool ${entry.tool} threw ${firstLine(entry.message)}${placeOf(entry.stack)}${where}` };
  }
  if (event === "internal_error") {
    const { name, message } = entry.error ?? {};
    return { tone: "red", text: `${entry.method} ${entry.path} broke: ${name}: ${message} (${entry.reference})` };
  }
  const cause = entry.message ?? entry.cause ?? entry.reason ?? JSON.stringify(entry);
  const variable = entry.variable === undefined ? "" : ` ${entry.variable}:`;
  const tone = entry.level === "warning" ? "yellow" : "red";
  return { tone, text: `${event}${variable} ${firstLine(String(cause))}${where}` };
}

/** @returns {{ tone: "red" | "yellow" | null, text: string }} */
function runLine({ event, agent, status, reason, error, steps, ms, usage, cost, thread_id: thread }) {
  const used = [
    `${steps} ${steps === 1 ? "step" : "steps"}`,
    `${usage.input + usage.cache_read + usage.cache_write} tokens in, ${usage.output} out`,
    ...(cost === null ? [] : [`$${cost}`]),
    `${(ms / 1000).toFixed(1)} s`,
  ];
  const after = ` · ${used.join(" · ")} · thread ${thread}`;
  if (event === "run_rest") return { tone: null, text: `${agent} waits${after}` };
  if (status === "completed") return { tone: null, text: `${agent} completed${after}` };
  if (status !== "error") return { tone: "yellow", text: `${agent} ended: ${status} (${reason})${after}` };
  const http = error?.status === undefined ? "" : `HTTP ${error.status} `;
  return { tone: "red", text: `${agent} failed (${reason}): ${http}${firstLine(error?.message ?? "")}${after}` };
}

function firstLine(text) {
  return String(text ?? "").split("\n", 1)[0];
}

/** The first position in a stack that is in the project's own files. */
function placeOf(stack) {
  const frame = String(stack ?? "")
    .split("\n")
    .find((text) => /^\s+at /.test(text) && !text.includes("node_modules"));
  return frame === undefined ? "" : ` ${frame.trim()}`;
}
