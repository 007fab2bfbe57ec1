#!/usr/bin/env node
// The program `create-threadhold`. It checks Node before it loads anything that an older Node cannot load.

const oldest = [20, 19] as const;

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  console.error(
    `create-threadhold needs Node ${oldest.join(".")} or newer; this is Node ${process.versions.node}. Install the current LTS version from https://nodejs.org.`,
  );
  process.exitCode = 2;
} else {
  const { runCreate } = await import("./create-command.ts");
  process.exitCode = await runCreate(process.argv.slice(2), {
    cwd: process.cwd(),
    env: process.env,
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
  });
}

export {};
