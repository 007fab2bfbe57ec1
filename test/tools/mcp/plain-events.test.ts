// The events of a stream of an MCP server, before the SDK reads them.

import { parseJSONRPCMessage } from "@modelcontextprotocol/client";
import { JSONRPCResponseSchema } from "@modelcontextprotocol/core";
import { expect, it, vi } from "vitest";

import { PlainEvents } from "#tools/mcp/plain-events.ts";

/** The request 7 of a session that has also sent the requests before it. */
const seven = { id: 7, isSent: (id: number) => id <= 7, isFirst: () => true };

const countOf = (text: string, part: string): number => text.split(part).length - 1;

it.each(["1", "[]", "{}", '{"jsonrpc":"2.0"}', '{"id":null}', "no JSON", '"text"'])(
  "OUT23 The SDK reports 100 events of a stream whose data is %s, and the messages after them are passed on",
  (data) => {
    const events = new PlainEvents(seven);
    const check = vi.spyOn(JSONRPCResponseSchema, "safeParse");
    const text = events.read(`id: a\ndata: ${data}\n\n`.repeat(1000));
    expect(check).not.toHaveBeenCalled();
    check.mockRestore();
    expect(countOf(text, "data:")).toBe(100);
    expect(countOf(text, "id: a")).toBe(1000);
    const response = '{"jsonrpc":"2.0","id":7,"result":{}}';
    expect(events.read(`data: ${response}\n\n`)).toBe(`data: ${response}\n\n`);
    expect(events.lastEvent).toBe("a");
  },
);

it("An event of another type is passed on after any number of events that are no messages", () => {
  const events = new PlainEvents(undefined);
  events.read("data: 1\n\n".repeat(200));
  for (const type of ["endpoint", "ping"]) {
    const event = `event: ${type}\ndata: /messages\n\n`;
    expect(events.read(event)).toBe(event);
  }
  expect(events.read("event: message\ndata: 1\n\n")).toBe("event: message\n\n");
});

it("A response without an id belongs to the request if it is the only response of a batch", () => {
  const note = { jsonrpc: "2.0", method: "notifications/message", params: {} };
  const sampling = { jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params: {} };
  const passed = (...batch: object[]): unknown[] => {
    const lines = new PlainEvents(seven).read(`data: ${JSON.stringify(batch)}\n\n`).split("\n");
    return lines.filter(Boolean).map((line) => JSON.parse(line.slice("data: ".length)));
  };
  const one = { jsonrpc: "2.0", id: 7, result: { a: 1 } };
  expect(passed({ id: null, result: { a: 1 } })).toEqual([one]);
  expect(passed(note, { id: null, result: { a: 1 } })).toEqual([note, one]);
  expect(passed({ error: null, result: { a: 1 } }, sampling, note)).toEqual([one, sampling, note]);
  expect(passed(note, { ...one, id: 3 })).toEqual([note, { ...one, id: 3 }]);
  const withoutId = { jsonrpc: "2.0", result: { a: 1 } };
  expect(passed(note, withoutId, withoutId)).toEqual([note, withoutId, withoutId]);
  expect(passed(one, withoutId)).toEqual([one, withoutId]);
});

it("Notifications and requests are passed on without a check by the schemas of the SDK", () => {
  const events = new PlainEvents(undefined);
  const check = vi.spyOn(JSONRPCResponseSchema, "safeParse");
  const notification = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "a" } };
  const request = { jsonrpc: "2.0", id: 1, method: "ping" };
  const odd = { method: "ping", id: 1, params: null, error: null };
  for (const [given, passed] of [
    [notification, notification],
    [request, request],
    [odd, request],
  ]) {
    const text = events.read(`data: ${JSON.stringify(given)}\n\n`);
    expect(JSON.parse(text.slice("data: ".length))).toEqual(passed);
    expect(parseJSONRPCMessage(passed)).toEqual(passed);
  }
  expect(check).not.toHaveBeenCalled();
  // A response is checked, so this schema is the one of the check.
  events.read('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
  expect(check).toHaveBeenCalledOnce();
  check.mockRestore();
});
