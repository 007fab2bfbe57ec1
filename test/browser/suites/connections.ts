// The card of an MCP server to which a person has to connect: the sign-in page in another window, and the way back.

import { describe, expect, it } from "vitest";

import { idle } from "./playground-use.ts";
import type { PlaygroundUse } from "./playground-use.ts";

export function connections({ api, open }: PlaygroundUse): void {
  describe("servers to connect to", () => {
    it("The card of an MCP server names its sign-in host, opens the sign-in page in a separate window, and continues after the person has connected", async () => {
      const { id } = await api().createThread("connector");
      const { page, picture, findings } = await open(`/threads/${id}`);
      const card = page.getByRole("article", { name: "Connection to vault" });
      await page.getByRole("textbox", { name: "Message" }).fill("Open it.");
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await page.getByRole("paragraph").getByText("Please connect to the vault.").waitFor();
      await idle(page);
      await card.getByText("needs your sign-in before its tools can be used").waitFor();
      await picture("connection-required");
      expect(await findings()).toEqual([]);
      const begun = page.waitForResponse((response) => response.url().endsWith("/mcp/vault/authorization"));
      await card.getByRole("button", { name: "Connect to vault" }).click();
      const { authorization_url: address } = (await (await begun).json()) as { authorization_url: string };
      const note = card.getByRole("status");
      await note.waitFor();
      expect(await note.textContent()).toBe(
        `You sign in to vault at ${new URL(address).host}, in another window. Go on only if you know this host.`,
      );
      // The page opens by a second click, after the card has named the host.
      expect(page.context().pages()).toHaveLength(1);
      await picture("connection-host");
      expect(await findings()).toEqual([]);
      const opened = page.context().waitForEvent("page");
      await card.getByRole("button", { name: "Open the sign-in page" }).click();
      const other = await opened;
      await other.getByRole("heading", { name: "Connected" }).waitFor();
      expect(new URL(other.url()).pathname).toBe("/api/mcp/callback/vault");
      expect(await other.evaluate(() => window.opener)).toBeNull();
      await other.close();
      await card.getByText("is connected").waitFor();
      await picture("connection-given");
      await card.getByRole("button", { name: "Continue" }).click();
      await page.getByRole("paragraph").getByText("The vault is open.").waitFor();
      await card.waitFor({ state: "detached" });
      expect(await api().thread(id)).not.toHaveProperty("required_authorizations");
    });

    it("A page that is opened after a run requires a connection shows the card of the MCP server, and the card shows an error of the server", async () => {
      const { id } = await api().createThread("connector");
      await api().say(id, "Open it.");
      const { page } = await open(`/threads/${id}`);
      const card = page.getByRole("article", { name: "Connection to vault" });
      await page.route("**/mcp/vault/authorization", async (route) => {
        const error = { code: "not_available", message: "The server does not respond." };
        await route.fulfill({ status: 501, json: { error } });
      });
      await card.getByRole("button", { name: "Connect to vault" }).click();
      await card.getByText("The server does not respond.").waitFor();
    });
  });
}
