// Test files that share a Worker share its modules, so a script of one file could match a message of another one. This
// removes all scripts and settings after the last test of each file, and prints nothing until the next one.
import { afterAll } from "vitest";

import { midway, ran } from "./approval.ts";
import { attaching, seers, shownToModels } from "./attached.ts";
import { setClockRight } from "./clock.ts";
import { forgetCompactions } from "./compacted.ts";
import { forgetCrossings } from "./crossing.ts";
import { effects, forgetGates, hookCalls, scripts } from "./definitions.ts";
import { outcomes, works } from "./executed.ts";
import { forgetPlans } from "./fault-plan.ts";
import { steered } from "./faulted.ts";
import { fileWorks, fileWorld } from "./file-works.ts";
import { hanging } from "./hanging-database.ts";
import { freshLimits } from "./limited.ts";
import { loopHooks } from "./loop-hooks.ts";
import { mcpServers } from "./mcp.ts";
import { reachable } from "./outbound-world.ts";
import { atPlaces } from "./places.ts";
import { loudConsole, quietConsole } from "./quiet-console.ts";
import { acts, asked, decisions, personas } from "./team.ts";
import { tracing } from "./traced.ts";
import { changedVariables } from "./variables.ts";
import { webhookVariables } from "./webhook.ts";

// Before the file is loaded, because a file may replace the methods of the console while it is loaded.
loudConsole();

const { next } = decisions;

afterAll(() => {
  quietConsole();
  for (const scripted of [scripts, personas, acts, seers, attaching, fileWorks, works, outcomes]) scripted.clear();
  for (const known of [loopHooks, mcpServers, steered.waiting, steered.received]) known.clear();
  for (const seen of [effects, hookCalls, asked, shownToModels, ran, reachable]) seen.length = 0;
  for (const key of Object.keys(fileWorld)) delete fileWorld[key as keyof typeof fileWorld];
  for (const name of Object.keys(changedVariables)) delete changedVariables[name];
  midway.run = null;
  decisions.next = next;
  tracing.variables = {};
  webhookVariables.current = {};
  forgetCompactions();
  hanging.end();
  atPlaces(null);
  freshLimits();
  forgetGates();
  forgetCrossings();
  forgetPlans();
  setClockRight();
});
