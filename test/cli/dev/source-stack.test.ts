// Positions in the served bundle, replaced in log lines by positions in source files.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { buildSync } from "esbuild";
import { describe, expect, it, onTestFinished } from "vitest";

import { withSourcePositions } from "#cli/dev/source-stack.ts";

const tool = `interface Order {
  id: string;
}

export function refund(order: Order | undefined): string {
  if (order === undefined) throw new TypeError("there is no order");
  return order.id;
}
`;

/** A project whose Worker is bundled as wrangler bundles it. */
function bundledProject(): { root: string; bundle: string; build: (text: string) => void } {
  const root = mkdtempSync(path.join(tmpdir(), "threadhold-stack-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const source = path.join(root, "agents/tools/refund.ts");
  const bundle = path.join(root, ".wrangler/tmp/dev-a1B2/index.js");
  mkdirSync(path.dirname(source), { recursive: true });
  const build = (text: string): void => {
    writeFileSync(source, text);
    const outdir = path.dirname(bundle);
    buildSync({
      entryPoints: { index: source },
      outdir,
      bundle: true,
      format: "esm",
      keepNames: true,
      sourcemap: true,
      sourceRoot: outdir,
    });
  };
  return { root, bundle, build };
}

/** The stack of a call, as a process that knows no source map gives it. */
function stackOf(bundle: string): string {
  const script = `import(${JSON.stringify(pathToFileURL(bundle).href)}).then((module) => {
    try { module.refund(undefined); } catch (error) { console.log(error.stack); }
  });`;
  return execFileSync(process.execPath, ["-e", script], { encoding: "utf8", env: { PATH: process.env.PATH } });
}

describe("source positions", () => {
  it("A stack trace in a console line names the project's source files, also after the bundle was built again", () => {
    const { root, bundle, build } = bundledProject();
    build(tool);
    const line = JSON.stringify({ event: "tool_failed", tool: "refund", stack: stackOf(bundle) });
    expect(line).toContain(".wrangler/tmp/dev-a1B2/index.js:");
    expect(withSourcePositions(line, root)).toContain("refund (agents/tools/refund.ts:6:34)");
    expect(JSON.parse(withSourcePositions(line, root))).toMatchObject({ event: "tool_failed" });
    build(`// One line more.\n${tool}`);
    expect(withSourcePositions(stackOf(bundle), root)).toContain("refund (agents/tools/refund.ts:7:34)");
  });

  it("A stack position without a source map, and any other console line, stay unchanged", () => {
    const lost = "    at refund (file:///nowhere/.wrangler/tmp/dev-x/index.js:1:2)";
    expect(withSourcePositions(lost, "/project")).toBe(lost);
    expect(withSourcePositions("see .wrangler/tmp for it", "/project")).toBe("see .wrangler/tmp for it");
  });
});
