// Test files that share a Worker share its modules, so a script of one file could match a message of another one. This
// removes all scripts and settings after the last test of each file, and prints nothing until the next one.
import { afterAll } from "vitest";

import { duringCall, ran } from "./approval.ts";
import { attaching, imageAnswers, shownToModels } from "./attached.ts";
import { setClockRight } from "./clock.ts";
import { forgetCompactions } from "./compacted.ts";
import { forgetCrossings } from "./crossing.ts";
import { effects, forgetGates, hookCalls, scripts } from "./definitions.ts";
import { reconciledOutcomes, toolFunctions } from "./executed.ts";
import { forgetPlans } from "./fault-plan.ts";
import { steered } from "./faulted.ts";
import { fileFunctions, fileSettings } from "./file-works.ts";
import { hanging } from "./hanging-database.ts";
import { resetLimits } from "./limited.ts";
import { loopHooks } from "./loop-hooks.ts";
import { mcpServers } from "./mcp.ts";
import { reachable } from "./outbound-world.ts";
import { onPlace } from "./places.ts";
import { loudConsole, quietConsole } from "./quiet-console.ts";
import { toolEffects, requested, decisions, scriptedAnswers } from "./team.ts";
import { tracing } from "./traced.ts";
import { changedVariables } from "./variables.ts";
import { webhookVariables } from "./webhook.ts";

// Before the file is loaded, because a file may replace the methods of the console while it is loaded.
loudConsole();

const { next } = decisions;

afterAll(() => {
  quietConsole();
  for (const scripted of [
    scripts,
    scriptedAnswers,
    toolEffects,
    imageAnswers,
    attaching,
    fileFunctions,
    toolFunctions,
    reconciledOutcomes,
  ])
    scripted.clear();
  for (const known of [loopHooks, mcpServers, steered.waiting, steered.received]) known.clear();
  for (const observed of [effects, hookCalls, requested, shownToModels, ran, reachable]) observed.length = 0;
  for (const key of Object.keys(fileSettings)) delete fileSettings[key as keyof typeof fileSettings];
  for (const name of Object.keys(changedVariables)) delete changedVariables[name];
  duringCall.run = null;
  decisions.next = next;
  tracing.variables = {};
  webhookVariables.current = {};
  forgetCompactions();
  hanging.end();
  onPlace(null);
  resetLimits();
  forgetGates();
  forgetCrossings();
  forgetPlans();
  setClockRight();
});
