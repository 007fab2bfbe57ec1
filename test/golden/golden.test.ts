// Runs each play and compares its transcript with the stored one. `GOLDEN=write npm test -- test/golden` replaces the stored transcripts;
// the diff then shows what changed.

import { afterAll, beforeAll, expect, inject, it } from "vitest";

import { quietly } from "../thread/fault-stage.ts";
import { resetAgents } from "../thread/team-driver.ts";
import { setClockRight } from "../worker/clock.ts";
import { differenceOf } from "./difference.ts";
import { failurePlays } from "./plays/failure.ts";
import { filePlays } from "./plays/files.ts";
import { sessionPlays } from "./plays/sessions.ts";
import { talkPlays } from "./plays/talk.ts";
import { teamPlays } from "./plays/team.ts";
import { toolPlays } from "./plays/tools.ts";
import { wirePlays } from "./plays/wires.ts";
import { Stage } from "./stage.ts";
import { transcriptOf } from "./transcript.ts";

const { url, write } = inject("golden");

const plays = [talkPlays, toolPlays, teamPlays, failurePlays, wirePlays, filePlays, sessionPlays].flat();

let quiet: ReturnType<typeof quietly>;

beforeAll(() => {
  quiet = quietly();
});

afterAll(() => quiet.loud());

it.each(plays)(
  "The scenario $name produces the rows, events, requests and answers of its stored transcript",
  async (play) => {
    resetAgents();
    setClockRight();
    const stage = new Stage(play);
    try {
      await stage.open();
      await play.run(stage);
      const played = await transcriptOf(stage);
      await fetch(`${url}/played/${play.name}.txt`, { method: "PUT", body: played });
      if (write) await fetch(`${url}/transcripts/${play.name}.txt`, { method: "PUT", body: played });
      const kept = await fetch(`${url}/transcripts/${play.name}.txt`);
      expect(kept.status, `no transcript of ${play.name} is kept`).toBe(200);
      const difference = differenceOf(await kept.text(), played);
      if (difference !== null) expect.fail(`${play.name} is not played as it is kept:\n${difference}`);
    } finally {
      stage.close();
    }
  },
);

it("Each stored transcript belongs to a scenario", async () => {
  const kept = await (await fetch(`${url}/transcripts/`)).json<string[]>();
  expect(kept.toSorted()).toEqual(plays.map(({ name }) => `${name}.txt`).toSorted());
});

it("The difference between two transcripts is described by section and field", () => {
  const kept = '# events\n1 start {"a":{"b":1},"c":2}\n2 end {}\n\n# rows\nrow {"x":1,"y":2}\n';
  const played = '# events\n1 start {"a":{"b":3},"c":2}\n\n# rows\nrow {"y":2,"x":1}\n';
  expect(differenceOf(kept, kept)).toBeNull();
  const [events, line, field, removed, rows, row, order] = differenceOf(kept, played)?.split("\n") ?? [];
  expect([events, line, field]).toEqual(["# events", '  1 start {"a":{"b":1},"c":2}', "    .a.b: 1 → 3"]);
  expect([removed, rows, row, order]).toEqual([
    "- 2 end {}",
    "# rows",
    '  row {"x":1,"y":2}',
    "    : the order is x,y → y,x",
  ]);
});
