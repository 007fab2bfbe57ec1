// Text that tries to act as code or markup: in messages, titles, tags, names of files and Markdown.

import { describe, expect, it } from "vitest";

import type { PlaygroundUse } from "./playground-use.ts";

const script =
  '<img src=x onerror="globalThis.hurt=1"><script>globalThis.hurt=1</script><svg onload=globalThis.hurt=1>';
const markdown = [
  script,
  "[run](javascript:globalThis.hurt=1) [data](data:text/html,<script>hurt=1</script>) [run](JaVaScRiPt:globalThis.hurt=1)",
  "[vb](vbscript:hurt) [file](file:///etc/passwd) [here](/api/threads) [out](https://example.com/out)",
  "![spy](https://tracker.example/pixel.png) ![data](data:image/svg+xml,<svg onload=hurt>)",
  "<iframe src=javascript:hurt></iframe><style>body{display:none}</style><base href=https://evil.example>",
  "```html\n<script>globalThis.hurt=1</script>\n```",
  "<details open ontoggle=globalThis.hurt=1>",
].join("\n\n");

export function hostile({ api, open, visit }: PlaygroundUse): void {
  describe("hostile messages", () => {
    it("A message cannot run code, make requests, or link to anything but the web", async () => {
      const { id } = await api().createThread("assistant", {
        title: script,
        tags: ["<b onclick=hurt>"],
        initial_messages: [
          { role: "user", content: markdown },
          { role: "assistant", content: markdown },
        ],
      });
      const path = "/uploads/<img src=x onerror=globalThis.hurt=1>.txt".split("/").map(encodeURIComponent).join("/");
      await api().call("PUT", `/api/threads/${id}/files${path}`, { body: "text" });
      const see = {
        content: "See",
        run: false,
        attachments: [{ path: "/uploads/<img src=x onerror=globalThis.hurt=1>.txt" }],
      };
      expect((await api().call("POST", `/api/threads/${id}/messages`, { json: see })).status).toBe(202);
      const { page } = await open("about:blank");
      const requested: string[] = [];
      page.on("request", (request) => requested.push(new URL(request.url()).host));
      await page.goto(`${api().url}/threads/${id}`);
      await page.getByRole("button", { name: /^Save <img/ }).waitFor();
      await page.getByText("Picture from tracker.example").waitFor();
      const log = page.getByRole("log");
      const links = await log.locator("a[href]").evaluateAll((all) => all.map((one) => one.getAttribute("href") ?? ""));
      expect(new Set(links)).toEqual(new Set(["https://example.com/out", `/threads/${id}/files${path}`]));
      expect(await log.locator("script, iframe, style, base, [onerror], [onload], [ontoggle], [onclick]").count()).toBe(
        0,
      );
      expect(await page.evaluate(() => "hurt" in globalThis)).toBe(false);
      const own = new URL(api().url).host;
      expect(requested.filter((host) => host !== own)).toEqual([]);
      await page.route("https://tracker.example/**", (route) => route.abort());
      const consent = page.waitForRequest("https://tracker.example/pixel.png");
      await page.getByRole("button", { name: "Load it" }).first().click();
      expect((await consent).headers()["referer"]).toBeUndefined();
    });

    it("Text that would block the page is shown as plain text", async () => {
      const hard = [
        "*a_ ".repeat(20_000),
        ">".repeat(5000),
        "- ".repeat(5000),
        JSON.stringify(Array(9000).fill("[a](b) *c*")),
      ];
      const { id } = await api().createThread("assistant", {
        initial_messages: [...hard, "And *the* last"].map((content) => ({ role: "assistant", content })),
      });
      const { page } = await visit(`/threads/${id}`);
      await page.getByRole("log").locator("em").getByText("the", { exact: true }).waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("Home");
      await page.getByRole("article").first().getByText("*a_ *a_").waitFor();
    });
  });
}
