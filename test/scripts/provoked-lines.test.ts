// Which lines of the runtime a test run hides.

import { expect, it } from "vitest";

import { provokedLines } from "../../scripts/lib/provoked-lines.mjs";

it("A test run hides errors that its tests provoke in the runtime, with their stacks, and no other output", () => {
  const uncaught =
    "uncaught exception; exception = workerd/api/actor-state.c++:1268: failed: broken.outputGateBroken; ";
  const stack = "stack: /some/workerd@2afbaf0";
  const said = [
    `${uncaught}jsg.Error: planned death at tool.wait`,
    stack,
    `${uncaught}jsg.Error: SQLITE_FULL`,
    stack,
    "exception = workerd/api/web-socket.c++:1284: disconnected: WebSocket peer disconnected",
    stack,
    "",
    stack,
    "uncaught exception; source = Uncaught (in promise); stack = Error: boom",
  ];
  const isProvoked = provokedLines();
  expect(said.map((line) => isProvoked(line))).toEqual([true, true, false, false, true, true, false, false, false]);
});
