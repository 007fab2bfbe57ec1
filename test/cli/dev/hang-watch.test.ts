// The watch over a local server whose Worker does not answer.

import { expect, it, onTestFinished, vi } from "vitest";

import { HangWatch } from "#cli/dev/hang-watch.ts";

const line = (event: string, fields: object = {}): string =>
  JSON.stringify({
    level: "info",
    event,
    thread_id: "t1",
    call_id: "c1",
    tool: "spin",
    file: "agents/tools/spin.ts",
    ...fields,
  });

/** A watch over a server whose answers the test decides. */
function watchServer() {
  const printed: string[] = [];
  const server: { state: "answers" | "silent" | "ended"; requests: number } = { state: "answers", requests: 0 };
  const request = (signal: AbortSignal): Promise<void> => {
    server.requests += 1;
    if (server.state === "answers") return Promise.resolve();
    if (server.state === "ended") return Promise.reject(new Error("refused"));
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
  };
  const watch = new HangWatch({ request, print: (text) => printed.push(text), silentMs: 20 });
  const ended = new AbortController();
  const watched = watch.run(ended.signal);
  onTestFinished(async () => {
    ended.abort();
    await watched;
  });
  return { watch, printed, server };
}

it("A tool call without a line, while the server does not answer, is named once with its file and its thread, and the end is printed", async () => {
  const { watch, printed, server } = watchServer();
  server.state = "silent";
  expect(watch.read(line("tool_runs"))).toBe(true);
  await vi.waitFor(() => expect(printed).toHaveLength(1));
  expect(printed[0]).toBe(
    "The Worker has not answered for 0.02 s. This tool call runs and computes without a pause: tool spin (agents/tools/spin.ts) of thread t1. End the server, correct the file, and start the server again.",
  );
  const requested = server.requests;
  await vi.waitFor(() => expect(server.requests).toBeGreaterThan(requested + 1));
  server.state = "answers";
  await vi.waitFor(() => expect(printed).toHaveLength(2));
  expect(printed[1]).toBe("The Worker answers again.");
});

it("All tool calls that run while the server does not answer are named, also one whose file is not known", async () => {
  const { watch, printed, server } = watchServer();
  server.state = "silent";
  watch.read(line("tool_runs"));
  watch.read(line("tool_runs", { call_id: "c2", tool: "other", file: null }));
  await vi.waitFor(() => expect(printed).toHaveLength(1));
  expect(printed[0]).toContain(
    "One of these tool calls computes without a pause: tool spin (agents/tools/spin.ts) of thread t1, tool other of thread t1.",
  );
});

it.each(["answers", "ended"] as const)("A tool call without a line is not named if the server %s", async (state) => {
  const { watch, printed, server } = watchServer();
  server.state = state;
  watch.read(line("tool_runs"));
  await vi.waitFor(() => expect(server.requests).toBeGreaterThan(0));
  // The next call is named, so the watch has finished with the first one.
  server.state = "silent";
  watch.read(line("tool_ended"));
  watch.read(line("tool_runs", { call_id: "c2", tool: "next" }));
  await vi.waitFor(() => expect(printed).toHaveLength(1));
  expect(printed[0]).toContain("computes without a pause: tool next (agents/tools/spin.ts) of thread t1.");
});

it("No health check is requested while the lines of a tool call arrive, and none after its end", async () => {
  const { watch, printed, server } = watchServer();
  server.state = "silent";
  const alive = setInterval(() => watch.read(line("tool_runs")), 1);
  onTestFinished(() => clearInterval(alive));
  watch.read(line("tool_runs", { call_id: "ends" }));
  watch.read(line("tool_ended", { call_id: "ends" }));
  watch.read(line("tool_runs", { call_id: "c3", tool: "third" }));
  await vi.waitFor(() => expect(printed).toHaveLength(1));
  expect(printed[0]).toContain("This tool call runs and computes without a pause: tool third");
});

it("Other lines of the log are printed, also those that a tool writes in a similar form", () => {
  const { watch } = watchServer();
  const odd = [
    { thread_id: { toString: 1 } },
    { call_id: undefined },
    { tool: 1 },
    { file: ["x"] },
    { tool: "x".repeat(1001) },
    { more: Array.from({ length: 1001 }, () => 1) },
    { more: "x".repeat(65_536) },
  ].map((fields) => line("tool_runs", fields));
  for (const text of [line("run_end"), line("tool_failed"), '{"level":"info","event":"tool_runs', "text", ...odd]) {
    expect(watch.read(text)).toBe(false);
  }
});

it("At most 1,000 tool calls are watched and ten are named, however many lines a tool writes", async () => {
  const { watch, printed, server } = watchServer();
  server.state = "silent";
  // All lines arrive at one time, so that all calls are silent at the same time.
  const time = vi.spyOn(performance, "now").mockReturnValue(performance.now() - 1000);
  for (let at = 0; at < 1100; at += 1) watch.read(line("tool_runs", { call_id: `c${at}` }));
  time.mockRestore();
  await vi.waitFor(() => expect(printed).toHaveLength(1));
  expect(printed[0]?.split(" of thread t1")).toHaveLength(10 + 1);
  expect(printed[0]).toContain("and 990 more.");
});
