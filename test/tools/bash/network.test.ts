// The option `network` of `bash`: the requests of `curl`, against a real server, through the guarded fetch.

import { beforeEach, describe, expect, inject, it } from "vitest";

import { readTool } from "#spec/index.ts";
import type { ToolResult } from "#spec/index.ts";
import { createBashTool } from "#tools/bash/index.ts";
import type { CommandNetwork } from "#tools/bash/index.ts";

import { reachable } from "../../worker/outbound-world.ts";
import { ToolCaller } from "../tool-caller.ts";
import { pageUrl } from "../web/page-url.ts";

const server = () => inject("outboundServer");
const host = () => new URL(server()).host;

// The server of the tests is on this machine, so the deployment has to allow it.
beforeEach(() => void reachable.splice(0, reachable.length, host()));

/** Runs a command in a new thread. */
async function run(command: string, network?: CommandNetwork): Promise<{ text: string; coder: ToolCaller }> {
  const coder = await ToolCaller.create("coder");
  const result = (await coder.withState(async (state) => {
    const call = { id: "call-1", attempt: 1, signal: new AbortController().signal, progress: () => {} };
    const tool = createBashTool(network === undefined ? {} : { network });
    // A tool that rejects is an error result, as in a run.
    const running = readTool(tool).run?.(state, { command }, call) as Promise<ToolResult>;
    return running.catch((thrown: Error) => ({ status: "error", error: thrown.message }) satisfies ToolResult);
  })) as ToolResult;
  return { text: result.result ?? `Error: ${result.error ?? ""}`, coder };
}

/** Runs a command that may request the server of the tests. */
const online = (command: string, more: Partial<CommandNetwork> = {}) =>
  run(command, { allowedHosts: [host()], ...more });

describe("curl", () => {
  it("Without the option network, the bash tool has no curl, and its description states that there is no network", async () => {
    expect((await run(`curl -s '${pageUrl("text/plain", "hello")}'`)).text).toContain("curl: command not found");
    expect(readTool(createBashTool()).description).toContain("There is no network");
    const { description } = readTool(createBashTool({ network: { allowedHosts: ["api.example.com"] } }));
    expect(description).toContain("curl reaches only api.example.com.");
  });

  it("A command requests a page of an allowed host with curl and stores it, byte by byte", async () => {
    const bytes = new Uint8Array([0, 255, 10, 13, 200]);
    const page = pageUrl("application/octet-stream", bytes);
    const { text, coder } = await online(
      `curl -s '${pageUrl("text/plain", "hello")}' | tr a-z A-Z; curl -s -o a.bin '${page}'`,
    );
    expect(text).toBe("Exit code: 0\nHELLO");
    expect(new Uint8Array(await (await coder.files.get("/a.bin")).arrayBuffer())).toEqual(bytes);
  });

  it("The model reads no hidden characters of a response, in either output, and a file has the bytes of the response", async () => {
    // A change of direction, a character without width, and the tags that spell "hi".
    const page = "per\u202Emit\u200B\u{E0068}\u{E0069} 👩‍💻\n";
    const address = pageUrl("text/plain", page);
    const { text, coder } = await online(`curl -s '${address}' | tee page.txt; cat page.txt >&2; wc -m < page.txt`);
    expect(text).toBe("Exit code: 0\nSTDOUT:\npermit 👩‍💻\n15\n\nSTDERR:\npermit 👩‍💻\n");
    expect(await coder.read("/page.txt")).toBe(page);
  });

  it("The model reads no hidden character that would appear if another hidden character between its two halves were removed", async () => {
    // jq writes the halves of a pair of surrogates as they are. Without the character between them they are a tag.
    const text = String.raw`"per\udb40\u200b\udc68mit"`;
    const page = pageUrl("application/json", text);
    for (const command of [`curl -s '${page}' | jq -r .`, `echo $'\\udb40\\u200b\\udc68' >&2`]) {
      const result = await online(command);
      expect(result.text).toContain("\uFFFD\uFFFD");
      expect(result.text).not.toMatch(/[\u{E0000}-\u{E0FFF}]/u);
    }
  });

  it("The model reads no hidden characters of a response in an error, such as that of a file whose changes are refused", async () => {
    const name = pageUrl("text/plain", `per\u202Emit\u{E0068}${"x".repeat(300)}`);
    const { text } = await online(`touch "$(curl -s '${name}')"`);
    expect(text).toContain("permitxxx");
    expect(text).toMatch(/^Error: .*none of its changes of files are stored/);
    expect(text).not.toMatch(/[\u202E\u{E0068}]/u);
  });

  it("A request of curl that fails, or with -f an HTTP error status, gives the command an exit code other than 0", async () => {
    expect((await online(`curl -s -f '${pageUrl("text/plain", "no", 404)}'`)).text).toContain("Exit code: 22");
    expect((await online(`curl -s -w '%{http_code}' '${pageUrl("text/plain", "no", 404)}'`)).text).toContain("no404");
    expect((await online(`curl -sS '${server()}/broken'`)).text).toContain("Exit code: 1");
  });

  it("The curl of a command sends only the HTTP methods that the option network allows", async () => {
    const post = `curl -sS -X POST -d 'a=1' '${pageUrl("text/plain", "posted")}'`;
    expect((await online(post)).text).toContain("HTTP method POST not allowed. Allowed are GET, HEAD.");
    expect((await online(post, { methods: ["POST"] })).text).toBe("Exit code: 0\nposted");
  });
});

describe("what is refused", () => {
  it("The curl of a command refuses hosts that are not allowed, private addresses and protocols other than HTTP, and the command continues", async () => {
    for (const address of ["https://example.com/", "http://169.254.169.254/", "http://[::1]/", "http://2130706433/"]) {
      const { text } = await online(`curl -sS '${address}'; echo next`);
      expect(text).toContain("Network access denied");
      expect(text).toContain("next");
    }
    expect((await online("curl -sS 'file:///etc/passwd'")).text).not.toContain("Exit code: 0");
  });

  it("A host in a private network is refused if the deployment does not allow it, even if the option allowedHosts names it", async () => {
    reachable.length = 0;
    const { text } = await online(`curl -sS '${pageUrl("text/plain", "inside")}'`);
    expect(text).toContain("Exit code: 1");
    expect(text).not.toContain("inside\n");
  });

  it("The curl of a command follows redirects only to allowed hosts", async () => {
    const to = (url: string) => `curl -sS -L '${server()}/redirect?to=${encodeURIComponent(url)}'`;
    expect((await online(to(pageUrl("text/plain", "found")))).text).toBe("Exit code: 0\nfound");
    expect((await online(to("http://169.254.169.254/latest/meta-data"))).text).toContain(
      "Network access denied: 169.254.169.254",
    );
    expect((await online(to("https://example.com/"))).text).toContain("Network access denied: example.com");
  });

  it("The curl of a command refuses a URL with a password and a response that is too large", async () => {
    const { text } = await online(`curl -sS 'http://me:secret@${host()}/page'`);
    expect(text).toContain("send them in a header");
    expect(text).not.toContain("secret");
    const large = await online(`curl -sS '${server()}/bytes?n=5000' > large; wc -c < large`, {
      maxResponseBytes: 1000,
    });
    expect(large.text).toContain("curl: (");
    const endless = await online(`curl -sS '${server()}/endless'`, { maxResponseBytes: 1000 });
    expect(endless.text).toContain("Exit code: 1");
  });

  it("A command sends a bounded number of requests, and redirects count as requests", async () => {
    const page = pageUrl("text/plain", "x");
    const { text } = await online(`for i in 1 2 3 4; do curl -sS '${page}'; done`, { maxRequests: 3 });
    expect(text).toContain("xxx");
    expect(text).toContain("A command sends at most 3 requests.");
    const redirect = `curl -sS -L '${server()}/redirect?to=${encodeURIComponent(page)}'`;
    expect((await online(`${redirect}; ${redirect}`, { maxRequests: 3 })).text).toContain("at most 3 requests");
    expect((await online(`curl -sS '${page}'`, { maxRequests: 3 })).text).toBe("Exit code: 0\nx");
  });

  it("An invalid host in allowedHosts is refused when the bash tool is created", () => {
    expect(() => createBashTool({ network: { allowedHosts: ["https://example.com/"] } })).toThrow("which is no host");
  });
});
