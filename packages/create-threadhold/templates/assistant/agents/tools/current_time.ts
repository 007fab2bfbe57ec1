// The name of the file is the name of the tool. Arguments are checked against the schema before the function runs.
import { defineTool } from "threadhold";
import { z } from "zod";

export default defineTool(
  "Read the current date and time.",
  z.object({ time_zone: z.string().describe("An IANA time zone, for example Europe/Lisbon") }),
  async (_state, { time_zone }) => {
    try {
      const time = new Date().toLocaleString("en-GB", { timeZone: time_zone, dateStyle: "full", timeStyle: "short" });
      return `It is ${time} (${time_zone}).`;
    } catch {
      // The model reads an error too, and can call the tool again.
      return { status: "error", error: `${time_zone} is not a time zone.` };
    }
  },
);
