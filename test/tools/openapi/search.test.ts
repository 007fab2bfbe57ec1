// An API with more than forty operations: a tool that finds operations, and a tool that calls them.

import { expect, it } from "vitest";

import { callTools, outcome } from "../../thread/mcp-driver.ts";
import { documentOf, setApi, toolsOf } from "./api-driver.ts";

const kinds = ["invoice", "customer", "refund", "parcel", "voucher", "warehouse", "supplier", "complaint", "review"];
const id = { name: "id", in: "path", required: true, schema: { type: "integer" } };

/** Forty-five operations, and one with the id `named`. */
const shop = documentOf({
  ...Object.fromEntries(
    kinds.flatMap((kind) => [
      [
        `/${kind}s`,
        {
          get: { operationId: `list_${kind}s`, summary: `Lists all ${kind}s`, tags: [kind] },
          post: { operationId: `create_${kind}`, tags: [kind] },
        },
      ],
      [
        `/${kind}s/{id}`,
        {
          parameters: [id],
          get: { operationId: `get_${kind}`, tags: [kind] },
          put: { operationId: `update_${kind}`, tags: [kind] },
          delete: { operationId: `delete_${kind}`, summary: `Deletes one ${kind}`, tags: [kind] },
        },
      ],
    ]),
  ),
  "/named": { get: { operationId: "named" } },
});

it("A document with more than forty operations has two tools, and one with forty has forty", async () => {
  const names = async (document: Record<string, unknown>) => (await toolsOf(document)).map(({ name }) => name);
  expect(await names(shop)).toEqual(["api__search_operations", "api__call_operation"]);
  const forty = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`/p${at}`, { get: { operationId: `op${at}` } }]),
  );
  expect(await names(documentOf(forty))).toHaveLength(40);
  expect(await names(documentOf({ ...forty, "/one": { get: { operationId: "more" } } }))).toHaveLength(2);
});

it("The search finds operations by words and by an id, with the arguments of the first ones", async () => {
  const api = setApi(shop);
  const [[, byWords = ""] = [], [, byId = ""] = [], [, none = ""] = []] = await api.call(
    ["search_operations", { query: "delete invoices" }],
    ["search_operations", { query: "get_parcel" }],
    ["search_operations", { query: "spaceship" }],
  );
  expect(byWords.split("\n")[0]).toBe("delete_invoice: DELETE /invoices/{id} | Deletes one invoice");
  expect(byWords.split("\n")[1]).toContain('arguments: {"type":"object","properties":{"id":{"type":"integer"}}');
  expect(byId.split("\n").filter((line) => /^\w+:/.test(line))).toEqual(["get_parcel: GET /parcels/{id}"]);
  expect(none).toBe(`None of 46 operations matches. Try other words, such as: ${kinds.join(", ")}.`);
});

it("The search returns at most 20 of the operations that match", async () => {
  const paths = Array.from({ length: 45 }, (_, at) => [`/invoices/${at}`, { get: { operationId: `invoice_${at}` } }]);
  const api = setApi(documentOf(Object.fromEntries(paths)));
  const [[, found = ""] = []] = await api.call(["search_operations", { query: "invoice" }]);
  expect(found.split("\n").filter((line) => /^\w+: GET/.test(line))).toHaveLength(20);
});

it("The call of an operation sends its request, and refuses an unknown id and arguments that do not match", async () => {
  const api = setApi(shop);
  const call = (operation: string, args?: object) =>
    ["call_operation", { operation, ...(args === undefined ? {} : { arguments: args }) }] as [string, object];
  expect(
    await api.call(
      call("get_parcel", { id: 7 }),
      call("list_refunds"),
      call("get_parcel", { id: "seven" }),
      call("get_parcel"),
      call("nothing", {}),
    ),
  ).toEqual([
    ["success", expect.stringContaining("/parcels/7 → 200")],
    ["success", expect.stringContaining("/refunds → 200")],
    ["error", expect.stringContaining("id")],
    ["error", expect.stringContaining("id")],
    ["error", expect.stringContaining("api__search_operations")],
  ]);
  expect((await api.requests()).toSorted()).toEqual(["GET /api/parcels/7", "GET /api/refunds"]);
});

it("The function needsApproval receives the operation that a call of call_operation names", async () => {
  const requested: unknown[] = [];
  const definition = {
    needsApproval: (call: { operation: string; method: string; args: object }) => {
      requested.push(call);
      return call.method === "DELETE";
    },
  };
  const [, call] = await toolsOf(shop, definition);
  const needed = (operation: string) => call?.needsApproval?.({ operation, arguments: { id: 1 } });
  expect(await needed("delete_invoice")).toBe(true);
  expect(await needed("get_invoice")).toBe(false);
  expect(await needed("unknown")).toBe(false);
  expect(requested).toEqual([
    { operation: "delete_invoice", method: "DELETE", path: "/invoices/{id}", args: { id: 1 } },
    { operation: "get_invoice", method: "GET", path: "/invoices/{id}", args: { id: 1 } },
  ]);
});

it("A prompt may list one operation of a document with more than forty operations by its name", async () => {
  setApi(shop);
  const { request, results } = await callTools("api-one", [{ name: "api__named", arguments: {} }]);
  expect(request?.tools.map(({ name }) => name)).toEqual(["api__named"]);
  expect(results.map(outcome)).toEqual([["success", expect.stringContaining("/named → 200")]]);
});
