// Every page in its states, each checked at every width and in both themes.

import { describe, expect, it } from "vitest";

import { goInside } from "../support/browser.ts";
import { longQuestion, remembered } from "../support/context-agents.ts";
import { tabProblems } from "../support/keyboard.ts";
import { drawn, look } from "../support/look.ts";
import { putFile } from "./files.ts";
import type { PlaygroundUse } from "./playground-use.ts";

const answer = `## What it keeps

A **thread** is a durable conversation: messages, in \`position\` order, runs and files.

- one
- two

> Nothing is written on the path of a delta.

\`\`\`ts
const client = new ThreadholdClient({ url });
for await (const event of thread.events()) log(event, 42);
\`\`\`

| work | bound |
|---|---|
| a text turn | 10 rows |
`;

/** The files of a thread. */
const kept = {
  "/notes/plan.md": answer,
  "/notes/invoice\u202Efdp.exe": new Uint8Array([0, 1, 2]),
  "/src/main.ts":
    'import { log } from "./log.ts";\n\nfor await (const event of thread.events()) {\n  log(event, 42);\n}\n',
  [`/${"a-very-long-name-".repeat(12)}.json`]: '{"a":[1,2,3]}',
};

interface Screen {
  name: string;
  path: string;
  /** A text that is visible once the page is complete. */
  shows: string | RegExp;
}

export function screens({ api, open, visit }: PlaygroundUse): void {
  let created: Promise<Screen[]> | undefined;

  /** Creates the threads and returns the pages to check. */
  async function createScreens(): Promise<Screen[]> {
    const said = [
      { role: "user", content: "What does a thread keep?" },
      { role: "assistant", content: answer },
    ];
    const text = await api().createThread("assistant", {
      title: "Markdown and code",
      initial_messages: said,
      tags: ["a tag"],
    });
    const empty = await api().createThread("assistant", { title: "Nothing said" });
    const approval = await api().createThread("purchaser", { title: "Waits for consent" });
    await api().post(approval.id, "An espresso machine for 900");
    const nested = await api().createThread("reporter", { title: "Prompts as tools" });
    await api().call("POST", `/api/threads/${nested.id}/messages?wait=true`, {
      json: { content: "Write about threads and tools" },
    });
    const traced = await api().createThread("tracer", { title: "Measured" });
    await api().say(traced.id, "Measure the table");
    const compacted = await api().createThread("forgetful", { title: "Compacted", initial_messages: remembered });
    await api().say(compacted.id, longQuestion);
    for (const [path, body] of Object.entries(kept)) await putFile(api(), text.id, path, body);
    return [
      { name: "start", path: "/", shows: "Demo: the desk that refunds. Needs no key." },
      { name: "text", path: `/threads/${text.id}`, shows: "What it keeps" },
      { name: "empty", path: `/threads/${empty.id}`, shows: "No messages yet." },
      { name: "approval", path: `/threads/${approval.id}`, shows: "At most, in euros" },
      { name: "nested", path: `/threads/${nested.id}`, shows: "Report" },
      {
        name: "context",
        path: `/threads/${compacted.id}?context=open`,
        shows: /^Line in place of \d+ messages$/,
      },
      { name: "events", path: `/threads/${traced.id}?event=4`, shows: "Copy link" },
      {
        name: "trace",
        path: `/threads/${traced.id}/trace?at=attempt+%2F1+traced_steady+1`,
        shows: "Cache read",
      },
      { name: "trace-waiting", path: `/threads/${approval.id}/trace`, shows: "waiting for approval" },
      { name: "trace-empty", path: `/threads/${empty.id}/trace`, shows: "Nothing has run yet" },
      { name: "trace-missing", path: `/threads/${empty.id}/trace?run=none`, shows: "The run cannot be shown" },
      { name: "missing", path: "/threads/00000000-0000-4000-8000-000000000000", shows: "There is no such thread" },
      { name: "files", path: `/threads/${text.id}/files/notes/plan.md`, shows: "What it keeps" },
      { name: "files-tree", path: `/threads/${text.id}/files/notes/`, shows: "plan.md" },
      { name: "files-editor", path: `/threads/${text.id}/files/src/main.ts?edit`, shows: "No changes" },
      { name: "files-found", path: `/threads/${text.id}/files?find=event`, shows: "3 lines in 2 files" },
      { name: "files-refused", path: `/threads/${text.id}/files?find=(`, shows: "The search was refused" },
      { name: "files-missing", path: `/threads/${text.id}/files/none.txt`, shows: "There is no such file" },
      { name: "files-empty", path: `/threads/${empty.id}/files`, shows: "No files yet" },
      { name: "inbox-page", path: "/inbox", shows: /^1 call waits in 1 thread$/ },
      { name: "usage", path: "/usage?days=7&measure=tokens", shows: "Day by day" },
      { name: "usage-empty", path: "/usage?from=2020-01-01&to=2020-01-07", shows: "Nothing ran in these days" },
      { name: "usage-error", path: "/usage?from=2020-01-01&to=2026-01-01", shows: "The usage could not be read" },
      { name: "definitions", path: "/definitions", shows: "Arrow keys follow the edges" },
      { name: "definitions-none", path: "/definitions?name=nothing-is-called-this", shows: "No matches" },
      { name: "agent", path: "/agents/debate", shows: "Between two models" },
      { name: "prompt", path: "/prompts/concierge_rules", shows: "hotel_hours" },
      { name: "tool", path: "/tools/draw_badge", shows: "Run draw_badge" },
      { name: "source", path: "/sources/everything", shows: "everything__echo" },
      { name: "source-failed", path: "/sources/unreachable", shows: "The source does not work" },
      { name: "source-tool", path: "/tools/everything__echo", shows: "Run everything__echo" },
      { name: "skill", path: "/skills/reports", shows: "references/figures.md" },
      { name: "model", path: "/models/anthropic", shows: "ANTHROPIC_API_KEY is not set." },
      { name: "model-test", path: "/models/tried", shows: "Test the model" },
      { name: "definition-unknown", path: "/tools/draw_bagde", shows: "See all definitions" },
      { name: "unknown-page", path: "/traces", shows: "This page does not exist" },
      { name: "filtered", path: "/?q=nothing-is-called-this", shows: "Nothing matches" },
    ];
  }

  describe("screens", () => {
    // There are many pages, each checked six times, so the test is divided: a part that hangs is named.
    const parts = 3;
    it.each(Array.from({ length: parts }, (_, part) => part))(
      "No page has an accessibility finding, a text below 12 pixels or a part that Tab does not reach visibly, or is wider than the window (part %i)",
      async (part) => {
        const screen = await visit("/");
        const { page } = screen;
        const all = await (created ??= createScreens());
        const length = Math.ceil(all.length / parts);
        for (const { name, path, shows } of all.slice(part * length, (part + 1) * length)) {
          await goInside(page, path);
          await page.getByText(shows, { exact: true }).first().waitFor({ state: "visible" });
          await page.evaluate(() => document.fonts.ready.then(() => undefined));
          await look(screen, name);
          for (const width of [1280, 390]) {
            await page.setViewportSize({ width, height: 844 });
            await drawn(page);
            const problems = await tabProblems(page);
            expect(problems, `${name} at ${width} pixels: ${problems.join("; ")}`).toEqual([]);
          }
          await page.setViewportSize({ width: 1280, height: 860 });
        }
      },
    );

    it("Each page has a title that names it, and an address without a page links to those that exist", async () => {
      const { page } = await visit("/");
      const titleAt = async (path: string, shows: string | RegExp): Promise<string> => {
        await goInside(page, path);
        await page.getByRole("heading", { level: 1, name: shows }).waitFor();
        return (await page.title()).replace(/^\(\d+\+?\) /, "");
      };
      const { id } = await api().createThread("assistant", { title: "A name" });
      expect(await titleAt("/", "Start a thread")).toBe("Start · Threadhold");
      for (const path of ["/traces", "/agents/a/b", "/no/such/page"]) {
        expect(await titleAt(path, "This page does not exist")).toBe("Unknown page · Threadhold");
      }
      const links = page.getByRole("main").getByRole("link");
      expect(await links.allInnerTexts()).toEqual(["Start", "Inbox", "Definitions", "Usage", "API"]);
      const marked = page.getByRole("navigation", { name: "Pages" }).locator("[aria-current=page]");
      for (const name of ["Inbox", "Definitions", "Usage", "API"]) {
        await goInside(page, "/traces");
        await links.filter({ hasText: new RegExp(`^${name}$`) }).click();
        await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
        expect((await page.title()).replace(/^\(\d+\+?\) /, "")).toBe(`${name} · Threadhold`);
        expect(await marked.textContent()).toContain(name);
      }
      expect(await titleAt(`/threads/${id}`, "A name")).toBe("A name · Threadhold");
      expect(await titleAt(`/threads/${id}/trace`, "A name")).toBe("Trace of A name · Threadhold");
      expect(await titleAt("/tools/draw_badge", "draw_badge")).toBe("draw_badge · Threadhold");
      expect(await marked.textContent()).toBe("Definitions");
      expect(await titleAt("/definitions/catalogue", "Catalogue of models")).toBe("Catalogue of models · Threadhold");
      expect(await marked.textContent()).toBe("Definitions");
      expect(await titleAt("/threads/none", "There is no such thread")).toBe("Not found · Threadhold");
    });

    it("The addresses above the pages of definitions and threads lead to the pages that list these, and keep the filter", async () => {
      const { page } = await visit("/");
      for (const kind of ["agents", "prompts", "tools", "sources", "skills", "models"]) {
        await goInside(page, `/${kind}?name=help`);
        await page.getByRole("heading", { level: 1, name: "Definitions", exact: true }).waitFor();
        await expect.poll(() => new URL(page.url()).pathname).toBe("/definitions");
        expect(await page.getByLabel("Filter by name").inputValue()).toBe("help");
      }
      await goInside(page, "/threads");
      await page.getByRole("heading", { level: 1, name: "Start a thread" }).waitFor();
    });

    it("Each item in a thread's header and in its row of the list is shown completely or not at all, also on a phone", async () => {
      const { id } = await api().createThread("purchaser", { user_id: `${"somebody-".repeat(4)}else` });
      await api().post(id, "An espresso machine for 900");
      const { page } = await open(`/threads/${id}`);
      const facts = page.locator("header p, nav li a > span:last-child").filter({ visible: true });
      /** Texts that start in the first line of their box and do not fit into it. */
      const cut = (): Promise<(string | null)[]> =>
        facts.locator("> *").evaluateAll((all) =>
          all
            .filter((fact) => {
              const [box, place] = [fact.getBoundingClientRect(), fact.parentElement?.getBoundingClientRect()];
              return place !== undefined && box.top < place.bottom - 2 && box.right > place.right + 1;
            })
            .map((fact) => fact.textContent),
        );
      await page.locator("header p").getByText("Waiting for an answer").waitFor();
      await page.getByRole("navigation", { name: "Threads" }).locator(`[data-thread="${id}"]`).waitFor();
      expect(await cut()).toEqual([]);
      await page.setViewportSize({ width: 390, height: 844 });
      await drawn(page);
      expect(await cut()).toEqual([]);
    });

    it("A change of the color scheme begins no transition if the system asks for reduced motion", async () => {
      const { page } = await visit("/");
      await page.emulateMedia({ reducedMotion: "reduce" });
      await page.getByRole("heading", { name: "Start a thread" }).waitFor();
      // Counts transitions when they start, because one may be over before the test looks for it.
      await page.evaluate(() => {
        document.documentElement.dataset["begun"] = "0";
        document.addEventListener("transitionrun", () => {
          const { dataset } = document.documentElement;
          dataset["begun"] = String(Number(dataset["begun"]) + 1);
        });
      });
      const begun = (): Promise<number> => page.evaluate(() => Number(document.documentElement.dataset["begun"]));
      await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
      await drawn(page);
      expect(await begun()).toBe(0);
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "no-preference" });
      await expect.poll(begun).toBeGreaterThan(0);
    });

    it("Neither the command palette nor the dialog for a new thread has a serious accessibility finding or is wider than the window", async () => {
      const screen = await visit("/");
      const { page } = screen;
      await page.getByRole("heading", { name: "Start a thread" }).waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Commands" }).waitFor();
      await look(screen, "palette");
      await page.keyboard.press("Escape");
      await page.keyboard.press("n");
      await page.getByRole("dialog", { name: "New thread" }).waitFor();
      await look(screen, "new-thread");
    });
  });
}
