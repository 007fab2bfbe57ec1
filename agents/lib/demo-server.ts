// The address of the server that two demo agents use. `npm run demo:server` starts it.

/** The command that starts the server, for answers of the demo models. */
export const startCommand = "npm run demo:server";

/** The address of the server: the variable DEMO_SERVER_URL, or the address that the command prints. */
export function demoServer(env: Readonly<Record<string, unknown>>): string {
  return "DEMO_SERVER_URL" in env ? String(env["DEMO_SERVER_URL"]) : "http://127.0.0.1:8790";
}
