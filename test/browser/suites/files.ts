// The files of a thread on their page: reading, editing, uploading, searching and deleting them, and how the
// conversation and the trace show them.

import { describe, expect, it } from "vitest";

import { holdMs } from "#playground/threads/held-deletions.ts";

import type { ApiClient } from "../../support/http-client/api-client.ts";
import { goInside, stopTimers } from "../support/browser.ts";
import type { PlaygroundUse } from "./playground-use.ts";

const encoded = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

/** Writes a file of a thread. */
export async function putFile(api: ApiClient, id: string, path: string, body: string | Uint8Array<ArrayBuffer>) {
  // Bytes have no content type, so the server takes the type from the name.
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const answer = await api.call("PUT", `/api/threads/${id}/files${encoded(path)}`, { body: bytes });
  if (answer.status >= 300) throw new Error(`${path}: ${answer.text}`);
}

/** Reads the text of a file of a thread. */
async function textOf(api: ApiClient, id: string, path: string): Promise<string> {
  return (await api.call("GET", `/api/threads/${id}/files${encoded(path)}`)).text;
}

export function files({ api, open, visit }: PlaygroundUse): void {
  const threadWith = async (contents: Record<string, string>): Promise<string> => {
    const { id } = await api().createThread();
    for (const [path, body] of Object.entries(contents)) await putFile(api(), id, path, body);
    return id;
  };

  describe("files", () => {
    it("The file tree can be used with the keyboard, and shows what another client writes and deletes", async () => {
      const id = await threadWith({
        "/docs/a/deep.md": "# Deep",
        "/docs/b.txt": "b",
        "/zebra.txt": "z",
        "/apple.txt": "a",
      });
      const { page } = await visit(`/threads/${id}`);
      await page.getByRole("link", { name: "Files" }).click();
      const tree = page.getByRole("tree", { name: "Files" });
      const item = (name: string) => tree.getByRole("treeitem", { name, exact: false });
      await item("zebra.txt").waitFor();
      expect(await tree.getByRole("treeitem").allInnerTexts()).toEqual(["docs", "apple.txt\n1 B", "zebra.txt\n1 B"]);
      const meant = async (): Promise<string> => tree.locator("[data-meant=true]").innerText();
      await tree.focus();
      await page.keyboard.press("End");
      await expect.poll(meant).toContain("zebra.txt");
      await page.keyboard.press("Home");
      await page.keyboard.press("ArrowRight");
      await item("b.txt").waitFor();
      await page.keyboard.press("ArrowRight");
      await expect.poll(meant).toBe("a");
      await page.keyboard.press("ArrowLeft");
      await expect.poll(meant).toBe("docs");
      await page.keyboard.type("ze");
      await expect.poll(meant).toContain("zebra.txt");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 2, name: "zebra.txt" }).waitFor();
      expect(new URL(page.url()).pathname).toBe(`/threads/${id}/files/zebra.txt`);
      await page.getByText("4 files").waitFor();
      await putFile(api(), id, "/docs/new/file.txt", "new");
      await item("new").waitFor();
      await page.getByText("5 files").waitFor();
      await api().call("DELETE", `/api/threads/${id}/files/docs/new/file.txt`);
      await item("new").waitFor({ state: "detached" });
      await putFile(api(), id, "/zebra.txt", "stripes");
      await page.getByRole("region", { name: "zebra.txt" }).getByText("stripes").waitFor();
    });

    it("An attachment links to its file, the file links back to the conversation, and the command palette opens the file tree", async () => {
      const id = await threadWith({ "/notes/a.txt": "A note" });
      const json = { content: "See", run: false, attachments: [{ path: "/notes/a.txt" }] };
      await api().call("POST", `/api/threads/${id}/messages`, { json });
      const { page } = await visit(`/threads/${id}`);
      await page.getByRole("link", { name: "Open a.txt" }).click();
      await page.getByText("A note").waitFor();
      await page.getByRole("treeitem", { name: "a.txt" }).waitFor();
      await page.getByRole("link", { name: "Back to the conversation" }).click();
      await page.getByRole("log").getByText("See").waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Commands" }).fill("files");
      await page.getByRole("option", { name: "Files of this thread" }).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("treeitem", { name: "notes" }).waitFor();
    });

    it("The page of a folder with ten thousand files renders few rows, and keys select the last file and any file by its name", async () => {
      const id = await threadWith({ "/many/0000.txt": "x" });
      const { page } = await open("/");
      const names = Array.from({ length: 10_000 }, (_, at) => `${String(at).padStart(4, "0")}.txt`);
      const entries = names.map((name) => ({
        path: `/many/${name}`,
        name,
        mimeType: "text/plain",
        size: 1,
        isDirectory: false,
      }));
      await page.route("**/files/many/", (route) => route.fulfill({ json: { entries } }));
      await page.goto(`/threads/${id}/files`);
      const tree = page.getByRole("tree", { name: "Files" });
      await tree.getByRole("treeitem", { name: "many" }).click();
      await tree.getByText("0000.txt").waitFor();
      await page.keyboard.press("End");
      await tree.getByText("9999.txt").waitFor();
      // At once, because letters with a pause between them do not belong to one name.
      await tree.evaluate((element) => {
        for (const key of "5000") element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      });
      await tree.getByText("5000.txt").waitFor();
      expect(await tree.getByRole("treeitem").count()).toBeLessThan(100);
      expect(await tree.locator("[data-meant=true]").getAttribute("aria-setsize")).toBe("10000");
    });

    it("A file is shown according to its type, and no script in a file runs", async () => {
      const svg =
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><script>globalThis.hurt=1</script></svg>';
      const id = await threadWith({
        "/read.md": "# A title\n\n<script>globalThis.hurt=1</script>\n\n![x](https://tracker.example/x.png)",
        "/code.ts": "export const answer: number = 42;\n",
        "/value.json": '{"b":[1,2],"a":null}',
        "/broken.json": '{"b":',
        "/page.html": "<!doctype html><script>globalThis.hurt=1</script><h1>Not a page</h1>",
        "/drawing.svg": svg,
        "/paper.pdf": "%PDF-1.7",
        "/sound.mp3": "no sound",
      });
      await putFile(api(), id, "/bytes.txt", new Uint8Array([0xff, 0xfe, 0, 1]));
      const { page } = await visit(`/threads/${id}/files/read.md`);
      const view = (name: string) => page.locator("section").filter({ has: page.getByRole("heading", { name }) });
      await page.getByRole("heading", { level: 1, name: "A title" }).waitFor();
      await page.getByText("Picture from tracker.example").waitFor();
      await page.getByText("Source", { exact: true }).click();
      await view("read.md").getByText("# A title").waitFor();
      const show = async (name: string): Promise<void> => {
        await page.getByRole("treeitem", { name }).click();
        await page.getByRole("heading", { level: 2, name }).waitFor();
      };
      await show("code.ts");
      await page.locator(".hljs-keyword", { hasText: "export" }).waitFor();
      await show("value.json");
      await view("value.json").getByText('"b": [', { exact: false }).waitFor();
      await show("broken.json");
      await page.getByText("it is not valid JSON").waitFor();
      await show("page.html");
      await view("page.html").getByText("<!doctype html>", { exact: false }).waitFor();
      await show("drawing.svg");
      await page.getByRole("img", { name: "drawing.svg" }).waitFor();
      await show("paper.pdf");
      await page.getByText("A PDF is not shown inside of this page").waitFor();
      await show("sound.mp3");
      await page.getByRole("button", { name: "Load it (8 B)" }).click();
      await page.locator("audio[aria-label='sound.mp3']").waitFor();
      await show("bytes.txt");
      await page.getByText("Its bytes are no UTF-8 text.").waitFor();
      expect(await page.locator("iframe, object, embed, section script").count()).toBe(0);
      expect(await page.evaluate(() => "hurt" in globalThis)).toBe(false);
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name: "Download bytes.txt" }).click();
      expect((await saved).suggestedFilename()).toBe("bytes.txt");
    });

    it("A missing thread or file is shown as missing, and a file appears once it exists", async () => {
      const id = await threadWith({ "/a.txt": "a" });
      const { page } = await visit("/threads/00000000-0000-4000-8000-000000000000/files");
      await page.getByRole("heading", { name: "There is no such thread" }).waitFor();
      await goInside(page, `/threads/${id}/files/later/b.txt`);
      await page.getByRole("heading", { name: "There is no such file" }).waitFor();
      await putFile(api(), id, "/later/b.txt", "It is there.");
      await page.getByText("It is there.").waitFor();
      await page.getByRole("treeitem", { name: "b.txt" }).waitFor();
      await goInside(page, `/threads/${id}/files/later`);
      await page.getByRole("heading", { level: 2, name: "later" }).waitFor();
      expect(new URL(page.url()).pathname).toBe(`/threads/${id}/files/later/`);
    });

    it("A large text file is shown in parts, and an address with a line number loads the file up to that line", async () => {
      const text = Array.from({ length: 30_000 }, (_, at) => `line ${at + 1} of the log`).join("\n");
      const id = await threadWith({ "/large.log": text });
      const { page } = await visit(`/threads/${id}/files/large.log`);
      await page.getByText("256.0 KiB of 633.7 KiB shown").waitFor();
      await page
        .getByRole("region", { name: "Files of the thread" })
        .getByRole("button", { name: "Show more" })
        .click();
      await page.getByText("512.0 KiB of 633.7 KiB shown").waitFor();
      await goInside(page, `/threads/${id}/files/large.log?line=29000`);
      await page.locator("[data-line='29000']").waitFor();
      await page.getByRole("region", { name: "large.log" }).getByText("line 30000 of the log").waitFor();
    });

    it("Unsaved text is kept while another file is shown, and replaces another writer's version only if the user chooses to overwrite it", async () => {
      const id = await threadWith({ "/plan.md": "one\r\ntwo\r\n", "/other.md": "other" });
      const { page, picture, findings } = await open(`/threads/${id}/files/plan.md`);
      await page.getByRole("button", { name: "Edit" }).click();
      const field = page.getByLabel("Text of plan.md");
      await expect.poll(() => field.inputValue()).toBe("one\ntwo\n");
      await field.and(page.locator(":focus")).waitFor();
      await page.keyboard.type("zero");
      await page.keyboard.press("Tab");
      await page.getByText("Not saved", { exact: true }).waitFor();
      await page.keyboard.press("Control+s");
      await page.getByText("Saved", { exact: true }).waitFor();
      expect(await textOf(api(), id, "/plan.md")).toBe("zero  one\r\ntwo\r\n");
      await page.keyboard.press("Control+Home");
      await page.keyboard.type("mine ");
      await page.getByRole("treeitem", { name: "other.md" }).click();
      await page.getByRole("heading", { level: 2, name: "other.md" }).waitFor();
      await page.getByRole("treeitem", { name: /plan.md.*not saved/ }).click();
      await page.getByRole("heading", { level: 2, name: "plan.md" }).waitFor();
      await page.getByRole("button", { name: "Edit" }).click();
      await expect.poll(() => field.inputValue()).toBe("mine zero  one\ntwo\n");
      await putFile(api(), id, "/plan.md", "theirs\n");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("The file was changed meanwhile").waitFor();
      expect(await textOf(api(), id, "/plan.md")).toBe("theirs\n");
      await page.getByRole("button", { name: "See both" }).click();
      await page.getByRole("region", { name: "plan.md, as it is there now" }).getByText("theirs").waitFor();
      await picture("files-conflict");
      expect(await findings()).toEqual([]);
      const warned = page.waitForEvent("dialog");
      await page.close({ runBeforeUnload: true });
      const dialog = await warned;
      expect(dialog.type()).toBe("beforeunload");
      await dialog.dismiss();
      await page.getByRole("button", { name: "Overwrite with mine" }).click();
      await page.getByText("Saved", { exact: true }).waitFor();
      expect(await textOf(api(), id, "/plan.md")).toBe("mine zero  one\r\ntwo\r\n");
      await page.getByRole("button", { name: "Close" }).click();
      await page.getByRole("heading", { level: 2, name: "plan.md" }).waitFor();
      await field.waitFor({ state: "detached" });
    });

    it("Files and folders can be created, and a deletion that is not undone takes effect when the user leaves the page", async () => {
      const { id } = await api().createThread();
      const { page } = await open(`/threads/${id}/files`);
      await stopTimers(page, holdMs);
      await page.getByRole("heading", { name: "No files yet" }).waitFor();
      await page.getByRole("button", { name: "New, and more" }).click();
      await page.getByRole("menuitem", { name: "New folder" }).click();
      await page.getByLabel("Name", { exact: true }).fill("drafts");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 2, name: "drafts" }).waitFor();
      await page.getByRole("button", { name: "New file" }).click();
      await page.getByLabel("Name", { exact: true }).fill("note.txt");
      await page.keyboard.press("Enter");
      await page.getByLabel("Text of note.txt").fill("A note");
      await page.keyboard.press("Control+s");
      await page.getByText("Saved", { exact: true }).waitFor();
      expect(await textOf(api(), id, "/drafts/note.txt")).toBe("A note");
      const row = page.getByRole("treeitem", { name: "note.txt" });
      const remove = async (): Promise<void> => {
        await page.getByRole("button", { name: "More about this file" }).click();
        await page.getByRole("menuitem", { name: "Delete" }).click();
        await row.waitFor({ state: "detached" });
      };
      await page.getByRole("button", { name: "Close" }).click();
      await remove();
      expect(await textOf(api(), id, "/drafts/note.txt")).toBe("A note");
      await page.getByRole("button", { name: "Undo" }).click();
      await row.click();
      await remove();
      await page.goto("/healthz");
      await expect
        .poll(async () => (await api().call("GET", `/api/threads/${id}/files/drafts/`)).body)
        .toEqual({ entries: [] });
    });

    it("A user can add files by drop, by paste and in a file dialog, and the page asks before it replaces a file", async () => {
      const id = await threadWith({ "/there.txt": "old", "/twice.txt": "old" });
      const { page, picture, findings } = await visit(`/threads/${id}/files`);
      const tree = page.getByRole("tree", { name: "Files" });
      await tree.waitFor();
      for (const type of ["drop", "paste"] as const) {
        await tree.evaluate((element, kind) => {
          const data = new DataTransfer();
          data.items.add(new File([kind], `${kind}.txt`, { type: "text/plain" }));
          element.dispatchEvent(
            kind === "drop"
              ? new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })
              : new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
          );
        }, type);
        await tree.getByRole("treeitem", { name: `${type}.txt` }).waitFor();
      }
      const text = (name: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from("new") });
      const large = { name: "large.bin", mimeType: "application/octet-stream", buffer: Buffer.alloc(6_000_000, 7) };
      await page.locator("input[type=file]").setInputFiles([text("there.txt"), text("twice.txt"), large]);
      const uploads = page.getByRole("region", { name: "Uploads" });
      await uploads.getByRole("group", { name: "All 2 that are there already" }).waitFor();
      // The end of the large upload moves the buttons.
      await uploads.getByText("3 of 5 done").waitFor();
      await picture("files-uploads");
      expect(await findings()).toEqual([]);
      await uploads
        .getByRole("group", { name: "there.txt is there already" })
        .getByRole("button", { name: "Replace" })
        .click();
      await uploads
        .getByRole("group", { name: "twice.txt is there already" })
        .getByRole("button", { name: "Keep both" })
        .click();
      await uploads.getByText("5 of 5 done").waitFor();
      await tree.getByRole("treeitem", { name: "twice (2).txt" }).waitFor();
      await tree.getByRole("treeitem", { name: "large.bin" }).waitFor();
      expect(await textOf(api(), id, "/there.txt")).toBe("new");
      expect(await textOf(api(), id, "/twice.txt")).toBe("old");
      expect(await textOf(api(), id, "/twice (2).txt")).toBe("new");
      expect((await textOf(api(), id, "/large.bin")).length).toBe(6_000_000);
    });

    it("An upload can be cancelled while it is sent", async () => {
      const { id } = await api().createThread();
      const { page } = await visit(`/threads/${id}/files`);
      await page.getByRole("heading", { name: "No files yet" }).waitFor();
      await page.route("**/slow.bin", () => undefined);
      const buffer = Buffer.alloc(1000, 7);
      await page.locator("input[type=file]").setInputFiles({ name: "slow.bin", mimeType: "text/plain", buffer });
      await page.getByRole("progressbar", { name: "Uploading slow.bin" }).waitFor();
      await page.getByRole("button", { name: "Cancel slow.bin" }).click();
      await page.getByRole("region", { name: "Uploads" }).waitFor({ state: "detached" });
    });

    it("A search of a thread's files searches text and names, and each result links to its position", async () => {
      const id = await threadWith({
        "/docs/plan.md": "first\nTODO: write it\nlast",
        "/docs/other.md": "nothing to do",
        "/src/main.ts": "// TODO: 100% of a+b\n",
      });
      const { page, picture } = await visit(`/threads/${id}/files/docs/`);
      const field = page.getByLabel("Search the files");
      const results = page.getByRole("complementary", { name: "Files" }).getByRole("listitem");
      await field.fill("TODO: .*");
      await field.press("Enter");
      await page.getByText("2 lines in 2 files").waitFor();
      await page.getByText("Only in /docs").click();
      await page.getByText("1 line in 1 file").waitFor();
      await results.getByRole("link", { name: "TODO: write it" }).click();
      await page.getByRole("heading", { level: 2, name: "plan.md" }).waitFor();
      await page.locator("[data-line='2']").waitFor();
      await page.reload();
      await page.locator("[data-line='2']").waitFor();
      await picture("files-line");
      await page.getByText("Only in /docs").click();
      await field.fill("100% of a\\+b");
      await field.press("Enter");
      await page.getByText("1 line in 1 file").waitFor();
      await field.fill("(");
      await field.press("Enter");
      await page.getByText("The search was refused").waitFor();
      await page.getByText(/missing closing/).waitFor();
      await field.fill("**/*.md");
      await page.getByText("Names", { exact: true }).click();
      await expect.poll(() => results.allInnerTexts()).toEqual(["docs/other.md", "docs/plan.md"]);
      await page.getByText("2 files").first().waitFor();
      await page.getByRole("button", { name: "End the search" }).click();
      await page.getByRole("tree", { name: "Files" }).waitFor();
    });

    it("A file is shown under its exact name and can be opened, whatever the name contains, and no code in a name runs", async () => {
      const names = [
        "<img src=x onerror=globalThis.hurt=1>",
        "invoice\u202Efdp.exe",
        "two\u2028lines.txt",
        "100%25 #1?.txt",
        "...",
        "%2e%2e",
        " edges ",
        "ملف.txt",
        "__proto__",
        `${"long".repeat(60)}.txt`,
      ];
      const { id } = await api().createThread();
      for (const [at, name] of names.entries()) await putFile(api(), id, `/odd #?%/${name}`, `the ${at}. text`);
      const { page } = await visit(`/threads/${id}/files`);
      await page.getByRole("treeitem", { name: "odd #?%" }).click();
      for (const [at, name] of names.entries()) {
        const row = page.locator(`[data-path=${JSON.stringify(`/odd #?%/${name}`)}]`);
        await row.click();
        await page.getByText(`the ${at}. text`).waitFor();
        if (!/%|\u2028/.test(name)) continue;
        await page.reload();
        await page.getByText(`the ${at}. text`).waitFor();
      }
      const tree = page.getByRole("tree", { name: "Files" });
      await tree.getByText("U+202E").waitFor();
      await tree.getByText("U+2028").waitFor();
      expect(await page.evaluate(() => "hurt" in globalThis)).toBe(false);
      expect(await page.locator("[onerror]").count()).toBe(0);
    });
  });
}
