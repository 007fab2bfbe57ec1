// The picture desk: an image that a person attaches, and a file that a tool makes.

import { expect, it } from "vitest";

import type { SuiteServer } from "../suite-server.ts";

/** A picture of one pixel, 69 bytes. */
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+M8AAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

export function pictures(use: () => SuiteServer): void {
  it("The pictures demo sends its model an attached image, and four messages later a line of text in its place", async () => {
    const { api } = use();
    const { id } = await api.createThread("picture_desk");
    expect((await api.say(id, "Hello")).run.text).toContain("Attach an image");
    const attachments = [{ name: "dot.png", mime_type: "image/png", data: dot }];
    const { message, run } = await api.say(id, "What is this?", { attachments });
    expect(message.attachments).toMatchObject([{ path: "/attachments/dot.png", mimeType: "image/png", size: 69 }]);
    expect(run.text).toContain("I was sent dot.png (image/png, 69 bytes).");
    expect((await api.say(id, "And now?")).run.text).toContain("I was sent dot.png");
    expect((await api.say(id, "And now?")).run.text).toContain("I no longer see dot.png");
    const again = await api.say(id, "This one", { attachments: [{ path: "/attachments/dot.png" }] });
    expect(again.run.text).toContain("I was sent dot.png (image/png, 69 bytes).");
    for (const path of ["messages", "logs", "events?after=0&until=idle"]) {
      expect((await api.call("GET", `/api/threads/${id}/${path}`)).text).not.toContain(dot.slice(0, 40));
    }
  });

  it("The pictures demo stores a badge as a file of the thread, and links the file to the tool's message and event", async () => {
    const { api } = use();
    const { id } = await api.createThread("picture_desk");
    const feed = await api.sayForEvents(id, "Draw a badge with </text><b>Grüße");
    await feed.untilEnd();
    const badge = { path: "/attachments/badge.svg", mimeType: "image/svg+xml", height: 32 };
    const [drawn] = feed.ofType("tool_execution_end");
    expect(drawn).toMatchObject({ tool_name: "draw_badge", is_error: false, result: { attachments: [badge] } });
    const messages = await api.messages(id);
    expect(messages.find(({ role }) => role === "tool")).toMatchObject({ attachments: [badge] });
    expect(messages.at(-1)?.content).toContain("It is /attachments/badge.svg.");
    const file = await api.call("GET", `/api/threads/${id}/files/attachments/badge.svg`);
    expect(file.headers.get("content-type")).toBe("image/svg+xml");
    expect(file.text).toContain("<rect");
    expect(file.text).toContain(">&#60;/text&#62;&#60;b&#62;Grüße</text></svg>");
  });
}
