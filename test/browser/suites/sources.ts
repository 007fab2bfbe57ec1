// The pages of sources of tools and of skills: their state, their tools, and tools that a person calls.

import { describe, expect, it } from "vitest";

import { goInside } from "../support/browser.ts";
import type { PlaygroundUse } from "./playground-use.ts";

export function sources({ api, open, visit }: PlaygroundUse): void {
  describe("sources of tools", () => {
    it("The page of all definitions lists the sources, requests nothing from their servers by itself, and shows the state that a person loads", async () => {
      const { page } = await open("/");
      const requested: string[] = [];
      page.on("request", (request) => {
        const { pathname } = new URL(request.url());
        if (pathname.includes("/sources/")) requested.push(pathname);
      });
      await goInside(page, "/definitions");
      const list = page.getByRole("region", { name: /^Tool sources/ });
      const entry = list.getByRole("listitem").filter({ has: page.getByRole("link", { name: "source everything" }) });
      await entry.waitFor();
      expect(requested).toEqual([]);
      await entry.getByRole("button", { name: "Load tools of everything" }).click();
      await entry.getByText(/^reachable, \d+ tools · 127\.0\.0\.1:\d+ · mcp-servers\/everything \d/).waitFor();
      await entry.getByText("needs EVERYTHING_TOKEN").waitFor();
      const failed = list.getByRole("listitem").filter({ has: page.getByRole("link", { name: "source unreachable" }) });
      await failed.getByRole("button", { name: "Load tools of unreachable" }).click();
      await failed.getByText(/The MCP server "unreachable" .* \(HTTP 404\)/).waitFor();
      expect(requested).toHaveLength(2);
      const graph = page.getByRole("application", { name: "Graph of definitions" });
      await graph.getByRole("link", { name: /^source notes/ }).click();
      await page.getByRole("heading", { level: 1, name: "notes" }).waitFor();
    });

    it("The page of an MCP server shows its state and its tools, and the page of a tool runs the tool in a new thread", async () => {
      const { page } = await visit("/sources/everything");
      const facts = page.getByRole("region", { name: "Source", exact: true });
      await facts.getByText(/^reachable, \d+ tools$/).waitFor();
      await facts.getByText(/^mcp-servers\/everything \d/).waitFor();
      await page.getByText("EVERYTHING_TOKEN is not set.").waitFor();
      await page.getByRole("region", { name: "Used by" }).getByRole("link", { name: "prompt sourced_rules" }).waitFor();
      const loaded = page.waitForResponse((response) =>
        new URL(response.url()).pathname.endsWith("/sources/everything"),
      );
      await page.getByRole("button", { name: "Load the tools again" }).click();
      expect((await loaded).status()).toBe(200);
      await page.getByRole("link", { name: "tool everything__echo" }).click();
      await page.getByRole("heading", { level: 1, name: "everything__echo" }).waitFor();
      await page.getByText("Defined in agents/mcp/everything.ts").waitFor();
      await page.getByRole("row", { name: /^message required/ }).waitFor();
      await page.getByLabel(/^Message/).fill("by hand");
      await page.getByRole("button", { name: "Run everything__echo" }).click();
      const result = page.getByRole("region", { name: "Result" });
      await result.getByText("Echo: by hand").waitFor();
      const thread = (await result.getByRole("link", { name: "In this thread" }).getAttribute("href")) ?? "";
      expect(await api().thread(thread.split("/").at(-1) ?? "")).toMatchObject({ agent_id: "sourced" });
    });

    it("The page of a tool that needs approval by the definition of its MCP server states this before the tool is run, and refuses the call", async () => {
      const { page } = await visit("/tools/everything__get-sum");
      await page.getByText("A call by hand that needs approval is refused.").waitFor();
      await page.getByLabel(/^A /).fill("1");
      await page.getByLabel(/^B /).fill("2");
      await page.getByRole("button", { name: "Run everything__get-sum" }).click();
      await page.getByText("needs a person's consent").waitFor();
    });

    it("The page of an API shows its host and version, and the page of an operation calls the operation in a chosen thread", async () => {
      const { id } = await api().createThread("sourced", { title: "A thread for notes" });
      const { page } = await visit("/sources/notes");
      await page.getByRole("region", { name: "Source", exact: true }).getByText("Notes 3").waitFor();
      await goInside(page, `/tools/notes__read?thread=${id}`);
      await page.getByLabel(/^ID/).fill("7");
      await page.getByRole("button", { name: "Run notes__read" }).click();
      const result = page.getByRole("region", { name: "Result" });
      await result
        .getByText(/\/notes\/7/)
        .first()
        .waitFor();
      expect(await result.getByRole("link", { name: "In this thread" }).getAttribute("href")).toContain(id);
    });

    it("A server's description is shown as text: its HTML and its Markdown have no effect", async () => {
      const { page } = await visit("/sources/markup");
      const text = '<img src="x" onerror="alert(1)"> **bold** [link](javascript:alert(1))';
      await page.getByText(text, { exact: true }).waitFor();
      await page.getByRole("link", { name: "tool markup__markup" }).click();
      await page.getByRole("heading", { level: 1, name: "markup__markup" }).waitFor();
      await page.getByText(text, { exact: true }).waitFor();
      const main = page.getByRole("main");
      expect(await main.locator("img, a[href^='javascript']").count()).toBe(0);
    });

    it("The page of a prompt shows the tools that an entry such as everything__* stands for, and links to its skills", async () => {
      const { page } = await open("/prompts/sourced_rules");
      const part = page.getByRole("region", { name: "Tools of sources" });
      await part.getByRole("button", { name: "Load tools of everything" }).click();
      await part.getByRole("link", { name: "tool everything__echo" }).waitFor();
      await part.getByRole("link", { name: "tool markup__markup" }).waitFor();
      await page.getByRole("region", { name: "Uses" }).getByRole("link", { name: "skill reports" }).click();
      await page.getByRole("heading", { level: 1, name: "reports" }).waitFor();
      await page.getByText("Use for weekly reports.", { exact: true }).waitFor();
      await page.getByText("Begin with the <b>result</b>.").waitFor();
      await page.getByText("references/figures.md").click();
      await page.getByText("Round figures to whole numbers.").waitFor();
    });

    it("The pages of a tool that its server does not list, and of an unknown source, show what to do", async () => {
      const { page } = await visit("/tools/everything__removed");
      await page.getByText("The source does not list this tool").waitFor();
      await goInside(page, "/sources/everythin");
      await page.getByRole("alert").getByText('Did you mean "everything"?').waitFor();
    });

    it("The page shows the reason why the request for a source fails, and repeats the request", async () => {
      const { page } = await open("/");
      let isRefused = true;
      await page.route("**/api/~/sources/notes", async (route) => {
        if (!isRefused) return route.continue();
        const error = { code: "forbidden", message: "This route is for administrators." };
        await route.fulfill({ status: 403, json: { error } });
      });
      await goInside(page, "/sources/notes");
      const alert = page.getByRole("alert").filter({ hasText: "The tools of “notes” could not be loaded" });
      await alert.getByText("This route is for administrators.").waitFor();
      isRefused = false;
      await alert.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("link", { name: "tool notes__read" }).waitFor();
    });
  });
}
