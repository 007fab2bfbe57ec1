// The card of a tool that a provider executed: what it shows, which of its addresses are links, and that no text of a provider becomes markup.

import { Window } from "happy-dom";
import { createElement, type ComponentProps } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";

import { ProviderTool } from "#playground/conversation/provider-tool.tsx";

type Part = ComponentProps<typeof ProviderTool>["part"];

const hostile = '<img src=x onerror="alert(1)"><script>alert(2)</script>';

/** The card of a call, in a document that executes nothing. */
function cardOf(part: Partial<Part>, live = false) {
  const call: Part = {
    type: "provider_tool",
    id: "srv_1",
    name: "web_search",
    input: { query: "oslo weather" },
    ...part,
  };
  const { document } = new Window();
  document.body.innerHTML = renderToStaticMarkup(createElement(ProviderTool, { part: call, live }));
  const card = document.querySelector("details");
  if (card === null) throw new Error("the call has no card");
  const valueOf = (label: string) => card.querySelector(`pre[aria-label="${label}"]`)?.textContent ?? null;
  const links = [...card.querySelectorAll("a")].map((link) => [link.getAttribute("href"), link.textContent]);
  const summary = card.querySelector("summary")?.textContent ?? "";
  return { card, valueOf, links, summary };
}

it("The card of a provider's tool is collapsed, and its summary has the name, the query and the state of the call", () => {
  const { card, summary, valueOf } = cardOf({ output: [{ title: "Oslo", temperature: 4 }] });
  expect(card.hasAttribute("open")).toBe(false);
  for (const text of ["web_search", "oslo weather", "by the provider", "Done"]) expect(summary).toContain(text);
  expect(valueOf("Input")).toBe('{\n  "query": "oslo weather"\n}');
  expect(JSON.parse(valueOf("Result") ?? "")).toEqual([{ title: "Oslo", temperature: 4 }]);
});

it.for<[Partial<Part>, boolean, string, string | null]>([
  [{}, true, "Running", null],
  [{}, false, "No result", null],
  [{ output: "It is down.", is_error: true }, false, "Failed", "Error"],
  [{ output: "4 degrees" }, true, "Done", "Result"],
])("The card of a provider's tool with %j, live %j, has the state %s", ([part, live, state, label]) => {
  const { summary, valueOf } = cardOf(part, live);
  expect(summary).toContain(state);
  const shown = ["Error", "Result"].filter((name) => valueOf(name) !== null);
  expect(shown).toEqual(label === null ? [] : [label]);
});

it("Only addresses of http and https in the result of a provider's tool are links, each once", () => {
  const found = [
    "https://a.example/1",
    "http://b.example/2",
    "https://a.example/1",
    "javascript:alert(1)",
    " java\nscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
    "file:///etc/passwd",
    "mailto:a@b.example",
    "//c.example/3",
    "/relative",
    "",
    7,
  ];
  const { card, links } = cardOf({ output: { results: found.map((url) => ({ url, title: `Page ${url}` })) } });
  expect(links).toEqual([
    ["https://a.example/1", "Page https://a.example/1"],
    ["http://b.example/2", "Page http://b.example/2"],
  ]);
  for (const link of card.querySelectorAll("a")) expect(link.getAttribute("rel")).toContain("noopener noreferrer");
});

it("HTML in the name, the input and the result of a provider's tool is shown as text", () => {
  const output = [{ url: "https://a.example/", title: hostile, text: hostile }];
  const { card, summary, valueOf, links } = cardOf({ name: hostile, input: { query: hostile }, output });
  expect(card.querySelectorAll("img, script, [onerror]")).toHaveLength(0);
  expect(summary.split(hostile)).toHaveLength(3);
  expect(JSON.parse(valueOf("Input") ?? "")).toEqual({ query: hostile });
  expect(JSON.parse(valueOf("Result") ?? "")).toEqual(output);
  expect(links).toEqual([["https://a.example/", hostile]]);
});
