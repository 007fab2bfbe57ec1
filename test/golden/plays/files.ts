// Plays with files: of a thread, of messages and of tools.

import { inject } from "vitest";

import { toBase64 } from "#lib/base64.ts";

import { pngBytes } from "../../support/memory-files.ts";
import { attaching, imageAnswers } from "../../worker/attached.ts";
import { scripts } from "../../worker/definitions.ts";
import { fileFunctions } from "../../worker/file-works.ts";
import { reachable } from "../../worker/outbound-world.ts";
import type { GoldenPlay } from "../stage.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const plainText = { "content-type": "text/plain" };

export const filePlays: GoldenPlay[] = [
  {
    name: "attachments",
    agent: "seeing",
    run: async (stage) => {
      const cat = { name: "cat.png", mime_type: "image/png", data: toBase64(pngBytes(300)) };
      const table = { name: "a.csv", mime_type: "text/csv", data: btoa("a,b\n1,2") };
      attaching.set("dog", () => ({
        status: "success",
        result: "a dog",
        attachments: [{ name: "dog.png", mimeType: "image/png", data: toBase64(pngBytes(500)) }],
      }));
      imageAnswers.set("look", ({ step }) =>
        step === 0 ? { toolCalls: [{ name: "attach", arguments: { key: "dog" } }] } : { text: "a cat and a dog" },
      );
      const { host, origin } = new URL(inject("outboundServer"));
      reachable.push(host);
      stage.wires.outbound = { url: origin, id: "golden-attachments" };
      const fetched = { url: `${origin}/bytes?n=100&id=golden-attachments`, name: "fetched.bin" };
      await stage.turn("a turn with files", () => stage.say("look", { attachments: [cat, table, fetched] }));
      await stage.turn("a turn after them", () => stage.say("again"));
      await stage.keep("with-files");
      await stage.turn("what is refused", async () => {
        await stage.ask("POST", "/messages", { content: "x", attachments: [{ path: "/gone" }] });
        await stage.ask("POST", "/messages", { content: "x", attachments: [{ ...cat, data: "no base64" }] });
        await stage.ask("POST", "/messages", { content: "x", attachments: [{ url: "http://169.254.0.1/a.png" }] });
        await stage.settled();
      });
      await stage.ask("GET", "/files/attachments");
    },
  },
  {
    name: "files",
    agent: "filer",
    run: async (stage) => {
      await stage.turn("files over HTTP", async () => {
        await stage.ask("PUT", "/files/notes/one.txt", bytes("one\ntwo\n"), plainText);
        await stage.ask("PUT", "/files/notes/one.txt", bytes("one\ntwo\nthree\n"), plainText);
        await stage.ask("PUT", "/files/notes/one.txt", bytes("x"), { ...plainText, "if-none-match": "*" });
        await stage.ask("PUT", "/files/empty?mkdir=true");
        await stage.ask("PUT", "/files/cat.png", pngBytes(2000), { "content-type": "image/png" });
        await stage.ask("GET", "/files/notes/one.txt");
        await stage.ask("GET", "/files/notes/one.txt", undefined, { range: "bytes=4-6" });
        await stage.ask("GET", "/files/notes/one.txt", undefined, { range: "bytes=400-" });
        await stage.ask("GET", "/files/notes/one.txt?stat=true");
        await stage.ask("GET", "/files");
        await stage.ask("GET", "/files-search?pattern=t.o");
        await stage.ask("GET", "/files-search?glob=**/*.png");
        await stage.ask("DELETE", "/files/notes");
        await stage.ask("DELETE", "/files/cat.png");
        await stage.settled();
      });
      fileFunctions.set("write", async (state) => {
        await state.writeFile("/made/by-a-tool.txt", "made", "text/plain");
        const { paths } = await state.findFiles("**/*");
        return {
          paths,
          text: new TextDecoder().decode((await state.readFile("/notes/one.txt")) ?? new ArrayBuffer(0)),
        };
      });
      scripts.set("work", ({ step }) =>
        step === 0 ? { toolCalls: [{ name: "work_files", arguments: { name: "write" } }] } : { text: "filed" },
      );
      await stage.turn("files in a run", () => stage.say("work"));
    },
  },
];
