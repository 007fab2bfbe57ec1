// One life of the server: it starts on the state folder of the previous life, a client may come, and the server is
// killed at the planned moment.

import { z } from "zod";

import { ApiClient } from "../../support/http-client/api-client.ts";
import { createRandom } from "../../support/model-server/random.mjs";
import type { Actor } from "./actor.ts";
import { comeBack, post, say } from "./company.ts";
import type { LifePlan } from "./life-plan.ts";
import { openingOf } from "./model-desk.ts";
import { isHelperMark } from "./script.ts";
import { startSoakServer, type SoakServer } from "./soak-server.ts";
import { actorsOf, servedBy } from "./soak.ts";
import type { Soak } from "./soak.ts";
import { castLife, doomCuts, doomsOf, mustGetFurther, pick, randomScript, starScript, talk } from "./stop-points.ts";
import type { Casting } from "./stop-points.ts";

interface Scene extends Casting {
  plan: LifePlan;
  random: () => number;
  api: ApiClient;
  /** What the server printed so far. */
  output: () => string;
}

const stopped = z.object({ status: z.string() });
/** Lines of the server's output that report an internal failure. */
const broken = /"event":"(run_failed|run_end_failed|alarm_failed|thread_failed)".*/g;

/** Runs one life from its start to its kill. */
export async function liveAndDie(soak: Soak, plans: readonly LifePlan[], index: number): Promise<void> {
  const plan = plans[index];
  if (plan === undefined) throw new Error(`There is no life ${String(index)}`);
  const random = createRandom(soak.seed * 1000 + index);
  const { findings, stage, observer } = soak;
  findings.life = index + 1;
  const casting = castLife(soak, plan, random);
  stage.begin(casting.stopPoints);
  observer.begin(casting.company);
  const known = observer.recoveries.length;
  const server = await startSoakServer(servedBy(soak));
  observer.ready();
  const scene: Scene = { ...casting, plan, random, api: new ApiClient(server.url), output: server.output };
  let afterwards: () => Promise<void>;
  try {
    afterwards = await untilTheMoment(soak, scene);
  } finally {
    await server.kill();
  }
  const paused = new Set(
    [...stage.reached].filter(([name]) => casting.stopPoints.get(name)?.hold).map(([name]) => name),
  );
  stage.end();
  await afterwards();
  const moment = stage.reached.get(casting.star.name) ?? null;
  soak.kills.push({ plan, company: casting.company, moment, cut: paused.size });
  await settleAll(soak, paused);
  const recovered = observer.recoveries.slice(known).map(({ thread, seconds }) => `${thread} ${seconds.toFixed(1)}`);
  const at = moment === null ? "" : ` (${casting.star.name} ${moment.at} ${moment.mark}/${moment.place})`;
  console.log(
    `life ${String(index + 1)}/${String(plans.length)}  ${casting.company.padEnd(6)} killed: ${plan.place}${at}; ` +
      `${String(paused.size)} cut; recovered: ${recovered.join(", ") || "-"}`,
  );
  readOutput(soak, server);
}

/** Reads internal failures from the server's output; nothing else reports them. */
export function readOutput({ findings }: Soak, server: SoakServer): void {
  for (const [line] of server.output().matchAll(broken)) findings.add("SURV3", `the server said ${line}`);
}

/** Runs everything before the kill. Returns what has to be done once the server is gone. */
async function untilTheMoment(soak: Soak, scene: Scene): Promise<() => Promise<void>> {
  const { plan, company, api, star } = scene;
  const nothing = () => Promise.resolve();
  if (plan.place === "ready") return nothing;
  if (plan.place === "stopped") {
    await api.ask(stopped, "POST", `/api/threads/${star.id}/stop`);
    if (star.current !== undefined) star.current.stoppedIn = soak.findings.life;
    return nothing;
  }
  if (company === "client") {
    await comeBack(soak, api);
    await sayMore(soak, scene);
  }
  await waitForAll(soak, scene);
  if (company === "client")
    await Promise.all([seeHalf(soak, scene), ...scene.mustEnd.map((actor) => seeEnd(soak, actor))]);
  if (plan.place !== "admitted" && plan.place !== "posting") return nothing;
  const others = actorsOf(soak, "regular").filter((actor) => actor !== star && actor.unsure === undefined);
  const speaker = pick(others, scene.random);
  if (plan.place === "admitted") {
    await say(api, speaker, randomScript(scene.random));
    return nothing;
  }
  const turn = speaker.say(randomScript(scene.random));
  // The server is killed while the post is on its way, so the client cannot know whether it was admitted.
  const sent = post(api, speaker, turn).catch(() => undefined);
  return () => sent;
}

/** Posts messages to idle threads, often two at once; the star gets what the life's moment needs. */
async function sayMore(soak: Soak, { plan, random, api, star }: Scene): Promise<void> {
  const stops = soak.kills.filter(({ plan: { place } }) => place === "stopped").length;
  const own = starScript(plan, stops);
  if (own !== null && (star.role === "regular" || star.current === undefined)) await say(api, star, own);
  for (const actor of actorsOf(soak, "regular")) {
    if (actor.current !== undefined) continue;
    await say(api, actor, randomScript(random));
    if (random() < 0.4) await say(api, actor, random() < 0.5 ? talk(10) : randomScript(random));
  }
}

/**
 * Waits until the star is at its moment and every thread that the last kill interrupted showed a sign of life; with a
 * client, also until all threads are at their moments.
 */
async function waitForAll(
  { stage, actors, findings }: Soak,
  { plan, star, stopPoints, company, output }: Scene,
): Promise<void> {
  const expected = actors.filter((actor) => {
    if (actor === star || (plan.place === "rest" && actor.role === "regular")) return true;
    return (
      company === "client" && stopPoints.has(actor.name) && actor.current !== undefined && actor.role === "regular"
    );
  });
  const missing = (): string[] => [
    ...actors.filter(({ owes }) => owes).map(({ name }) => `${name} was not taken up again`),
    ...expected
      .filter((actor) => !stage.reached.has(actor.name) && !isAtRest(actor))
      .map(({ name }) => `${name} did not come to its moment`),
    ...actors
      .filter((actor) => actor !== star && mustGetFurther(actor) && !isAtRest(actor))
      .map(({ name }) => `${name} got no further`),
  ];
  if (await stage.until(() => missing().length === 0)) return;
  findings.add("SURV3", `within a minute ${missing().join("; ")}`);
  // What explains the wait: the last moments of each thread, and the lines of the server that are no reports of runs.
  for (const [thread, moments] of stage.latest) console.log(`  ${thread}: ${moments.join(", ")}`);
  console.log(
    output()
      .split("\n")
      .filter((line) => !line.startsWith('{"level":"info"'))
      .slice(-30)
      .join("\n"),
  );
}

/** A run that an earlier life almost finished may end without a request to the outside. */
function isAtRest({ turns, follower }: Actor): boolean {
  const last = turns.at(-1)?.runId;
  return typeof last === "string" && follower.feed?.ofType("run_end").some(({ run_id }) => run_id === last) === true;
}

/** Waits until the star's follower received the beginning of an answer that the kill interrupts. */
async function seeHalf({ stage, models, findings }: Soak, { star }: Scene): Promise<void> {
  const moment = stage.reached.get(star.name);
  // Answers of a helper reach its caller's follower inside other events.
  if (moment?.at !== "delta" || isHelperMark(moment.mark)) return;
  const opening = openingOf(moment.mark, Number(moment.place), models.requested(moment.mark, Number(moment.place)));
  const received = star.follower.feed?.until("text_delta", ({ delta }) => delta.startsWith(opening));
  await received?.catch((thrown: unknown) => findings.add("SURV6", `no delta reached ${star.name}: ${String(thrown)}`));
}

/** Milliseconds that a run may take: the slow answer, complete, and the runs queued before it. */
const slowestRun = 60_000;

async function seeEnd({ findings }: Soak, actor: Actor): Promise<void> {
  const runId = actor.current?.runId;
  if (typeof runId !== "string") return;
  const ended = actor.follower.feed?.until("run_end", ({ run_id }) => run_id === runId, slowestRun);
  await ended?.catch((thrown: unknown) => findings.add("SURV3", `${actor.name} came to no end: ${String(thrown)}`));
}

/** Takes over what the followers received, and records which threads the kill interrupted. */
async function settleAll(soak: Soak, paused: ReadonlySet<string>): Promise<void> {
  for (const actor of soak.actors) {
    await actor.follower.detach();
    actor.learnFromFollower();
    const { current } = actor;
    if (current === undefined) continue;
    actor.cut();
    current.kills += 1;
    // A run that may have been given up is not waited for: without a client its end is not visible outside.
    const mayBeGivenUp = actor.role === "regular" && current.kills >= doomCuts;
    const over = current.stoppedIn !== null || mayBeGivenUp || (actor.role === "doomed" && doomsOf(soak) >= doomCuts);
    if (paused.has(actor.name)) actor.owes = true;
    if (over) actor.owes = false;
  }
}
