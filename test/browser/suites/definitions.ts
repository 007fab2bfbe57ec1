// The pages of the project's definitions: their graph, a page for each, and tools that a person calls.

import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";

import type { DefinitionSet } from "#playground/agents/definition.ts";
import { linksOf, relationText } from "#playground/agents/relations.ts";
import { copiedMs } from "#playground/kit/copy-text.ts";

import { manyDefinitions } from "../../support/ui/definition-set.ts";
import { goInside, stopTimers } from "../support/browser.ts";
import { drawn } from "../support/look.ts";
import type { PlaygroundUse } from "./playground-use.ts";

const kinds = ["agents", "prompts", "models", "tools", "sources", "skills"] as const;

export function definitions({ api, open, visit }: PlaygroundUse): void {
  describe("definitions", () => {
    it("The graph and the list show the definitions that the API returns, and each edge of the graph names the kind of its relation", async () => {
      const { page } = await visit("/definitions");
      const set = await definitionsOf();
      const graph = page.getByRole("application", { name: "Graph of definitions" });
      await graph.getByRole("link", { name: /^agent assistant/ }).waitFor();
      const names = await graph
        .locator("a[data-node]")
        .evaluateAll((links) => links.map((link) => link.dataset["node"]));
      const own = set.tools.filter(({ kind }) => kind === "tool");
      const others = [set.agents, set.prompts, set.models, set.sources, set.skills];
      const counted = others.reduce((sum, { length }) => sum + length, own.length);
      expect(new Set(names).size).toBe(counted);
      const listed = linksOf(set).map(
        ({ from, to, relation }) => `${from.name}, ${relationText[relation].short}: ${to.name}`,
      );
      // Two relations between the same two definitions would be one edge. The demo has none, so each relation has its
      // own edge.
      // Edges are drawn after their nodes were measured.
      await expect
        .poll(() =>
          graph.locator("g[role=img]").evaluateAll((edges) => edges.map((edge) => edge.ariaLabel ?? "").toSorted()),
        )
        .toEqual(listed.toSorted());
      expect(listed).toContain("support_rules, handoff: billing_desk");
      expect(listed).toContain("help, tool: search_handbook");
      expect(listed).toContain("author_rules, sub-agent: review_room");
      const entry = page.getByRole("listitem").filter({ hasText: /^prompt help(?![_])/ });
      const linked = await entry
        .getByRole("link")
        .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
      expect(linked).toEqual(["/prompts/help", "/models/demo", "/tools/search_handbook", "/tools/remember"]);
      await graph.getByRole("link", { name: /^tool search_handbook/ }).click();
      await page.getByRole("heading", { level: 1, name: "search_handbook" }).waitFor();
    });

    it("The graph of the project is as wide as the page, its names are readable, and no line crosses a relation's name", async () => {
      const { page } = await open("/definitions");
      const graph = page.getByRole("application", { name: "Graph of definitions" });
      await graph.getByRole("link", { name: /^agent assistant/ }).waitFor();
      await expect.poll(() => unreadable(page)).toEqual([]);
      await page.getByLabel("Filter by name").fill("help");
      await graph.getByRole("link", { name: /^agent purchaser/ }).waitFor({ state: "detached" });
      const names = graph.locator("span[class*=label]:visible");
      await names.first().waitFor();
      // With pointer events on for every line and label, the element that the pointer hits is the one drawn on top.
      const covered = await graph.evaluate((element) => {
        for (const path of element.querySelectorAll<SVGElement>("path")) path.style.pointerEvents = "stroke";
        const labels = [...element.querySelectorAll<HTMLElement>("span[class*=label]")];
        for (const label of labels) label.style.pointerEvents = "all";
        return labels.filter((label) => {
          const { left, top, width: wide, height: high } = label.getBoundingClientRect();
          const points = Array.from({ length: 40 }, (_, at) => left + (wide * (at + 0.5)) / 40);
          return points.some((x) => document.elementFromPoint(x, top + high / 2) !== label);
        }).length;
      });
      expect(covered).toBe(0);
    });

    it.each([5, 60])(
      "The graph of %i definitions has names of 20 characters at 12 pixels or more, none cut, and takes the width of a page of 1280 pixels",
      async (count) => {
        const { page } = await open("/");
        const named = /"(agent|prompt|model|tool)_(\d+)"/g;
        const long = (name: string): string => `"${name.slice(1, -1).padEnd(20, "_of_the_whole_shop")}"`;
        const many = JSON.parse(JSON.stringify(manyDefinitions(count)).replaceAll(named, long)) as DefinitionSet;
        for (const kind of kinds)
          await page.route(`**/api/~/${kind}`, (route) => route.fulfill({ json: { [kind]: many[kind] } }));
        await goInside(page, "/definitions");
        const nodes = page.getByRole("application", { name: "Graph of definitions" }).locator("a[data-node]");
        await expect.poll(() => nodes.count()).toBe(count);
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await expect.poll(() => unreadable(page)).toEqual([]);
        }
        const used = await nodes.evaluateAll((all) => {
          const boxes = all.map((one) => one.getBoundingClientRect());
          return Math.max(...boxes.map(({ right }) => right)) - Math.min(...boxes.map(({ left }) => left));
        });
        const { width = 0 } = (await page.getByRole("main").boundingBox()) ?? {};
        expect(used / width).toBeGreaterThan(count === 5 ? 0.6 : 0.8);
        // Below the width of a graph the list shows the same relations.
        await page.setViewportSize({ width: 390, height: 844 });
        await nodes.first().waitFor({ state: "detached" });
        await page.getByRole("link", { name: /^agent agent_0_/ }).waitFor();
      },
    );

    it("The definitions graph is one stop of the Tab key; in it arrow keys follow edges, Enter opens a definition, and keys zoom", async () => {
      const { page } = await visit("/definitions?name=purchaser");
      const graph = page.getByRole("application", { name: "Graph of definitions" });
      const first = graph.getByRole("link", { name: /^agent purchaser/ });
      await first.waitFor();
      expect(await graph.locator("[tabindex='0']").count()).toBe(1);
      // The graph is measured after the first rendering, and its zoom is set after that.
      await drawn(page);
      const before = await first.boundingBox();
      await first.focus();
      await page.keyboard.press("-");
      await expect.poll(async () => (await first.boundingBox())?.width ?? 0).toBeLessThan((before?.width ?? 0) * 0.95);
      await page.keyboard.press("0");
      await expect.poll(async () => (await first.boundingBox())?.width).toBe(before?.width);
      await page.keyboard.press("ArrowRight");
      await expect.poll(() => focused(page)).toBe("prompt:buy_things");
      await page.keyboard.press("ArrowLeft");
      await expect.poll(() => focused(page)).toBe("agent:purchaser");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "buy_things" }).waitFor();
    });

    it("The definitions page renders 200 definitions, and its filter narrows graph and list and stays in the URL", async () => {
      const { page } = await open("/");
      const many = manyDefinitions();
      for (const kind of kinds)
        await page.route(`**/api/~/${kind}`, (route) => route.fulfill({ json: { [kind]: many[kind] } }));
      await goInside(page, "/definitions");
      const graph = page.getByRole("application", { name: "Graph of definitions" });
      await graph
        .getByRole("link", { name: /^agent agent_0,?/ })
        .first()
        .waitFor();
      await expect.poll(() => graph.locator("a[data-node]").count()).toBe(200);
      await page.getByLabel("Filter by name").fill("agent_17");
      await graph.getByRole("link", { name: /agent_16/ }).waitFor({ state: "detached" });
      const names = () => graph.locator("[data-node]").evaluateAll((all) => all.map((node) => node.dataset["node"]));
      await expect.poll(names).toEqual(["agent:agent_17", "prompt:prompt_17"]);
      await expect
        .poll(() => page.getByRole("main").getByRole("heading", { level: 2 }).allInnerTexts())
        .toEqual(["Agents 1"]);
      await page.reload();
      await graph.getByRole("link", { name: /agent_17/ }).waitFor();
      expect(await page.getByLabel("Filter by name").inputValue()).toBe("agent_17");
    });

    it("The definitions page lists hooks, input filters and API routes with their files, and its filter applies to them", async () => {
      const { page } = await open("/");
      const hook = { hook: "filter_messages", file: "agents/hooks/shorten.ts" };
      await page.route("**/api/~/hooks", (route) => route.fulfill({ json: { hooks: [hook], next_cursor: null } }));
      await goInside(page, "/definitions");
      const hooks = page.getByRole("region", { name: /^Hooks/ });
      await hooks
        .getByRole("listitem")
        .filter({ hasText: /filter_messages\s*agents\/hooks\/shorten\.ts/ })
        .waitFor();
      const filters = page.getByRole("region", { name: /^Input filters/ });
      await filters.getByText("agents/filters/no_pins.ts").waitFor();
      const routes = page.getByRole("region", { name: /^API routes/ });
      const summary = routes.getByRole("listitem").filter({ hasText: "GET /api/threads/:id/summary" });
      await summary.getByText("agents/api/threads/[id]/summary.get.ts").waitFor();
      await page.getByLabel("Filter by name").fill("summary");
      await hooks.waitFor({ state: "detached" });
      expect(await routes.getByRole("listitem").count()).toBe(1);
    });

    it("The page of an agent names the agent's file, links to the definitions that it uses, starts a thread, and lists the agent's threads", async () => {
      const { page } = await open("/agents/debate");
      await page.getByText("Demo: two models debate a motion").waitFor();
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await stopTimers(page, copiedMs);
      const file = page.locator("p").filter({ hasText: "agents/agents/debate/debate.ts" });
      await file.getByRole("button", { name: "Copy" }).click();
      await file.getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("agents/agents/debate/debate.ts");
      const side = page.getByRole("region", { name: "Side B" });
      await side.getByRole("link", { name: "tool close_debate" }).waitFor();
      await side.getByRole("link", { name: "prompt debate_against" }).click();
      await page.getByRole("heading", { level: 1, name: "debate_against" }).waitFor();
      await page.getByRole("region", { name: "Used by" }).getByRole("link", { name: "agent debate" }).click();
      await page.getByRole("button", { name: "Start a thread" }).click();
      await page.waitForURL(/\/threads\//);
      const id = new URL(page.url()).pathname.split("/").at(-1) ?? "";
      expect(await api().thread(id)).toMatchObject({ agent_id: "debate" });
      await page
        .getByRole("region", { name: "Conversation" })
        .locator("header")
        .getByRole("link", { name: "debate" })
        .click();
      const latest = page.getByRole("region", { name: "Latest threads" });
      await latest.locator(`a[href="/threads/${id}"]`).waitFor();
    });

    it("A prompt's page shows its text with what it includes, and its arguments as a table", async () => {
      const { page } = await visit("/prompts/concierge_rules");
      await page.getByText("The pool is open from 9 to 21.").waitFor();
      await goInside(page, "/prompts/researcher");
      const row = page.getByRole("row", { name: /^question required/ });
      expect(await row.innerText()).toMatch(/string[\s\S]*One question, in a whole sentence[\s\S]*length ≥ 5/);
      await page.getByText("JSON Schema").click();
      await page.getByText('"minLength": 5').waitFor();
    });

    it("The page of a model without its API key names the variable to set, and so do the pages of agents that use it", async () => {
      const { page } = await visit("/models/anthropic");
      await page.getByText("ANTHROPIC_API_KEY is not set.").waitFor();
      await page.getByText("npx wrangler secret put ANTHROPIC_API_KEY").waitFor();
      await goInside(page, "/agents/anthropic_assistant");
      await page.getByText("ANTHROPIC_API_KEY is not set.").waitFor();
      await goInside(page, "/agents/assistant");
      await page.getByRole("button", { name: "Say “What is a thread?”" }).waitFor();
      expect(await page.getByText("is not set.").count()).toBe(0);
    });

    it("A tool's page runs the tool with valid arguments in a new thread, and shows its text and images", async () => {
      const { page } = await visit("/tools/draw_badge");
      await page.getByRole("button", { name: "Run draw_badge" }).click();
      await page.getByText("This field is required.").waitFor();
      await page.getByLabel(/^Text/).fill("By hand");
      await page.getByLabel("colour").selectOption("indigo");
      await page.getByRole("button", { name: "Run draw_badge" }).click();
      const result = page.getByRole("region", { name: "Result" });
      await result.getByText('Drew the badge "By hand" in indigo.').waitFor();
      await result.getByRole("img", { name: "badge.svg" }).waitFor();
      const thread = (await result.getByRole("link", { name: "In this thread" }).getAttribute("href")) ?? "";
      expect(await api().thread(thread.split("/").at(-1) ?? "")).toMatchObject({
        agent_id: "picture_desk",
        message_count: 0,
      });
      // After another page and back, the form still has the typed text.
      await page.getByRole("link", { name: "Back to the definitions" }).click();
      await page.getByRole("link", { name: "tool draw_badge" }).first().click();
      expect(await page.getByLabel(/^Text/).inputValue()).toBe("By hand");
    });

    it("A tool's page runs the tool in an existing thread with arguments as JSON, and shows its failure", async () => {
      const { id } = await api().createThread("support_desk", { title: "An order to look at" });
      const { page } = await visit(`/tools/look_up_order?thread=${id}`);
      const choice = page.getByRole("combobox", { name: "Thread", exact: true });
      await choice.getByRole("option", { name: "An order to look at" }).waitFor({ state: "attached" });
      expect(await choice.inputValue()).toBe(id);
      await page.getByRole("button", { name: "Write as JSON" }).click();
      const field = page.getByLabel(/as JSON$/);
      await field.fill('{"order": "12"}');
      await page.getByRole("button", { name: "Run look_up_order" }).click();
      await page.getByRole("alert").filter({ hasText: "order" }).waitFor();
      await field.fill('{"order": "9999"}');
      await page.getByRole("button", { name: "Run look_up_order" }).click();
      await page.getByRole("region", { name: "Result" }).getByText("There is no order 9999.").waitFor();
      const { body } = await api().call("GET", `/api/threads/${id}/logs`);
      expect(JSON.stringify(body)).toContain('"what":"invoked"');
    });

    it("On the pages of a tool that always needs approval and of a client's tool, the tool cannot be run, and the reason is shown", async () => {
      const { page } = await visit("/tools/pay_out");
      await page.getByText("A person has to approve each call").first().waitFor();
      expect(await page.getByRole("button", { name: /^Run/ }).count()).toBe(0);
      await goInside(page, "/tools/get_location");
      await page.getByText("A client answers its calls").waitFor();
      expect(await page.getByRole("button", { name: /^Run/ }).count()).toBe(0);
    });

    it("The page of a tool that needs approval for some calls states this before the tool is run, and such a call is refused", async () => {
      const { page } = await visit("/tools/place_order");
      await page.getByText("A call by hand that needs approval is refused.").waitFor();
      await page.getByLabel(/^Item/).fill("An espresso machine");
      await page.getByLabel(/^Price/).fill("900");
      await page.getByRole("button", { name: "Run place_order" }).click();
      await page.getByText("needs a person's consent").waitFor();
      await page.getByText("approve the call there").waitFor();
    });

    it("The pages of an unknown definition, of a project without definitions, and of a failed request show what to do", async () => {
      const screen = await open("/tools/draw_bagde");
      const { page } = screen;
      await page.getByRole("alert").getByText('Did you mean "draw_badge"?').waitFor();
      await page.goto("/");
      await page.getByRole("heading", { name: "Start a thread" }).waitFor();
      let answer: "nothing" | "failure" = "failure";
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      for (const kind of kinds) {
        await page.route(`**/api/~/${kind}`, async (route) => {
          await released;
          if (answer === "nothing") return route.fulfill({ json: { [kind]: [], next_cursor: null } });
          return route.fulfill({ status: 400, json: { error: { code: "invalid_request", message: "Not today" } } });
        });
      }
      await page.getByRole("link", { name: "Definitions", exact: true }).click();
      await page.getByRole("status").filter({ hasText: "Loading definitions" }).waitFor();
      expect(await screen.findings()).toEqual([]);
      release();
      const alert = page.getByRole("alert").filter({ hasText: "The definitions could not be loaded" });
      await alert.getByText("Not today").waitFor();
      expect(await screen.findings()).toEqual([]);
      answer = "nothing";
      await alert.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("heading", { name: "Nothing is defined yet" }).waitFor();
      expect(await screen.findings()).toEqual([]);
    });

    it("The page of a definition is updated when the definition changes, and shows findings with file and line", async () => {
      const { page } = await open("/");
      let changed = false;
      await page.route("**/api/~/tools", async (route) => {
        const response = await route.fetch();
        const text = await response.text();
        await route.fulfill({ response, body: changed ? text.replaceAll("Draw a badge", "Paint a badge") : text });
      });
      await page.route("**/healthz", async (route) => {
        const found = { severity: "error", code: "unknown_tool", message: "no such tool", source: 'tools: ["paint"],' };
        const diagnostics = [{ ...found, file: "agents/tools/pictures/draw_badge.ts", line: 12, column: 3 }];
        await route.fulfill({ json: { status: "ok", version: "1", ...(changed ? { diagnostics } : {}) } });
      });
      await page.goto("/tools/draw_badge");
      await page.getByText("Draw a badge, a small picture").waitFor();
      changed = true;
      await page.evaluate(() => dispatchEvent(new Event("visibilitychange")));
      await page.getByText("Paint a badge, a small picture").waitFor();
      const findings = page.getByRole("region", { name: "Findings of the last build" });
      await findings.getByText("agents/tools/pictures/draw_badge.ts:12:3").waitFor();
      await findings.getByText('tools: ["paint"],').waitFor();
      await page.goto("/definitions?name=draw_badge");
      await page.getByRole("link", { name: "tool draw_badge 1 finding" }).waitFor();
    });

    it("The command palette finds a definition by its kind and name, and a call in a conversation links to the definition of its tool", async () => {
      const { page } = await visit("/");
      await page.getByRole("link", { name: "Definitions", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Definitions", exact: true }).waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Commands" }).fill("tool refund");
      await page.getByRole("option", { name: "refund_order" }).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "refund_order" }).waitFor();
      const { id } = await api().createThread("support_desk");
      await api().call("POST", `/api/threads/${id}/messages?wait=true`, {
        json: { content: "I want a refund for order 1042" },
      });
      await goInside(page, `/threads/${id}`);
      const call = page.getByRole("log").locator("details").filter({ hasText: "look_up_order" }).first();
      // The notes of the run and its files are loaded after the messages, and move them.
      await page.getByRole("log").getByText("support_desk handed over to billing_desk").waitFor();
      await page.getByRole("log").getByRole("button", { name: "Save refunds/1042.txt" }).waitFor();
      await call.locator("summary").click();
      await call.getByRole("link", { name: "Open definition" }).click();
      await page.getByRole("heading", { level: 1, name: "look_up_order" }).waitFor();
      await expect.poll(() => page.getByRole("combobox", { name: "Thread", exact: true }).inputValue()).toBe(id);
    });

    async function definitionsOf(): Promise<DefinitionSet> {
      const answers = await Promise.all(kinds.map((kind) => api().call("GET", `/api/${kind}`)));
      return Object.assign({}, ...answers.map(({ body }) => body)) as DefinitionSet;
    }
  });
}

/** The name of the node that has the focus. */
function focused(page: Page): Promise<string | undefined> {
  return page.evaluate(() =>
    document.activeElement instanceof HTMLElement ? document.activeElement.dataset["node"] : undefined,
  );
}

/** The names in the graph that are smaller than 12 pixels, cut, or outside of the page's width, among those of at most 20 characters. */
function unreadable(page: Page): Promise<string[]> {
  return page.locator("a[data-node]").evaluateAll((nodes: HTMLElement[]) =>
    nodes.flatMap((node) => {
      const name = node.querySelector<HTMLElement>("[title]");
      if (name === null || name.title.length > 20) return [];
      const zoom = node.getBoundingClientRect().width / node.offsetWidth;
      const isSmall = parseFloat(getComputedStyle(name).fontSize) * zoom < 11.99;
      const isCut = name.scrollWidth > name.clientWidth + 1 || name.scrollHeight > name.clientHeight + 1;
      const { left, right } = node.getBoundingClientRect();
      return isSmall || isCut || left < 0 || right > innerWidth ? [name.title] : [];
    }),
  );
}
