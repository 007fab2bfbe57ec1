// Makes plain lines of the JSON lines that the Worker logs: a line a run, red with the cause where something failed. The Worker
// writes the same lines on a deployment, where they stay JSON.

// Colour codes of a terminal; matching them is the point.
const sgr = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g");
const colours = { red: 31, yellow: 33 };

/**
 * The line for a person; any other line as it is.
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

/** The entry of a line, with or without the mark that wrangler sets before errors and warnings. */
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

/** A tool may log JSON of its own. */
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

/** The first place in a stack that is the project's own. */
function placeOf(stack) {
  const frame = String(stack ?? "")
    .split("\n")
    .find((text) => /^\s+at /.test(text) && !text.includes("node_modules"));
  return frame === undefined ? "" : ` ${frame.trim()}`;
}
