// Parts and values of tool results in a real thread: what is stored, what the model is sent, and what code of definitions receives.

import { beforeEach, expect, it } from "vitest";

import { toBase64 } from "#lib/base64.ts";

import { pngBytes } from "../support/memory-files.ts";
import { attaching, imageAnswers, shownToModels } from "../worker/attached.ts";
import { toolEffects } from "../worker/team.ts";
import { admin, converse, newThread, stubOf, value } from "./thread-driver.ts";

const page = { limit: 100, order: "asc" as const, include_silent: false };
const data = toBase64(pngBytes(3000));

beforeEach(() => {
  for (const map of [attaching, imageAnswers, toolEffects]) map.clear();
  shownToModels.length = 0;
});

it("The parts of a tool's result are stored as its text and as files of the thread, and the model is sent the image", async () => {
  const id = await newThread("seeing");
  attaching.set("parts", () => ({
    status: "success",
    content: [
      { type: "text", text: "A chart:" },
      { type: "image", data, mimeType: "image/png" },
      { type: "file", data: btoa("a,b"), mimeType: "text/csv", name: "a.csv" },
      { type: "video", data },
    ],
  }));
  imageAnswers.set("look", ({ step }) =>
    step === 0 ? { toolCalls: [{ name: "attach", arguments: { key: "parts" } }] } : { text: "seen" },
  );
  const events = await converse(id, "look");
  const tool = (await value(stubOf(id).call("listMessages", admin, page))).items.find(({ role }) => role === "tool");
  const [first, second, ...more] = (tool?.content ?? "").split("\n");
  expect([first, second?.slice(0, 39), more]).toEqual(["A chart:", "[A part of the result was left out: a p", []]);
  expect(tool?.attachments).toMatchObject([
    { path: "/attachments/attachment.png", mimeType: "image/png", size: 3000 },
    { path: "/attachments/a.csv", mimeType: "text/csv", size: 3 },
  ]);
  expect(JSON.stringify([tool, events])).not.toContain(data.slice(1000, 1040));
  expect(shownToModels.at(-1)?.messages.at(-1)).toMatchObject({
    role: "tool",
    attachments: [{ path: "/attachments/attachment.png", mimeType: "image/png", size: 3000 }],
  });
});

it("A definition that invokes a tool receives the tool's value unchanged, and rows and clients have the value's JSON", async () => {
  const id = await newThread("seeing");
  const returned = { rows: new Set([1]), name: "report" };
  const received: unknown[] = [];
  attaching.set("value", () => ({ status: "success", value: returned }));
  toolEffects.set("nested", async (state) => void received.push(await state.invokeTool("attach", { key: "value" })));
  await value(stubOf(id).call("invokeTool", admin, "act", { key: "nested" }));
  const stored = { status: "success", result: '{"rows":{},"name":"report"}' };
  expect(received).toEqual([{ ...stored, value: returned }]);
  expect((received[0] as { value?: unknown }).value).toBe(returned);
  expect(await value(stubOf(id).call("invokeTool", admin, "attach", { key: "value" }))).toEqual(stored);
  const logs = (await value(stubOf(id).call("listLogs", admin, { limit: 100, order: "asc" }))).items;
  expect(logs.map(({ data: log }) => log["result"])).toContainEqual(stored);
  expect(JSON.stringify(logs)).not.toContain('"value":');
});

it("If a hook changes the result of a tool, the value that the tool returned is removed", async () => {
  const id = await newThread("seeing");
  const received: unknown[] = [];
  attaching.set("hooked", () => ({ status: "success", result: "improve it", value: 7 }));
  toolEffects.set("nested", async (state) => void received.push(await state.invokeTool("attach", { key: "hooked" })));
  await value(stubOf(id).call("invokeTool", admin, "act", { key: "nested" }));
  expect(received).toEqual([{ status: "success", result: "improved" }]);
});
