/** One phase of the permanent adversary: a stack, honest people, attackers who play everything at random meanwhile, and the oracle. */
import { setTimeout as wait } from "node:timers/promises";
import { quantile, table } from "../figures.ts";
import { randomOf } from "../random.ts";
import { type Attack, openScore, Refused, type Scene, type Score } from "./attack.ts";
import { CHAIN } from "./attacks/chain.ts";
import { DATA } from "./attacks/data.ts";
import { DOORS } from "./attacks/doors.ts";
import { FLOODS } from "./attacks/floods.ts";
import { IDENTITY } from "./attacks/identity.ts";
import { INCOME } from "./attacks/income.ts";
import { MONEY } from "./attacks/money.ts";
import { REGISTRY } from "./attacks/registry.ts";
import { STANDING } from "./attacks/standing.ts";
import { openBusiness } from "./business.ts";
import { Honest, type Line } from "./honest.ts";
import { judge, processesOf, type Verdict, warningsOf } from "./oracle.ts";
import { openWorld, type Phase } from "./world.ts";

/** In the order of their numbers, which are those of docs/engineering/reliability.md. */
const ATTACKS: readonly Attack[] = [MONEY, CHAIN, IDENTITY, DATA, DOORS, FLOODS, STANDING, REGISTRY, INCOME]
  .flat()
  .toSorted((a, b) => a.number - b.number);

type Run = {
  seed: number;
  phase: Phase;
  /** At least; every attack is played once at least. */
  seconds: number;
  /** Honest people, and attackers, at a time. */
  people: number;
  attackers: number;
  /** Only the attacks of these numbers. */
  numbers?: readonly number[] | undefined;
  say(line: string): void;
};

type Report = Awaited<ReturnType<typeof runPhase>>;

/** Networks that all attackers share: what is limited is limited for a few, not for a thousand addresses. */
const HOSTILE_NETWORKS = 6;
const SOUND = 12;
const PLAY_MS = 120_000;

export async function runPhase(run: Run) {
  const { seed, phase, people, attackers, numbers } = run;
  const began = Date.now();
  const say = (line: string) => run.say(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  const attacks = ATTACKS.filter(
    (one) => (one.phase === "both" || one.phase === phase) && (numbers?.includes(one.number) ?? true),
  );
  const score = openScore(attacks.map(nameOf), say);
  /** Plays that broke by themselves; they fail nothing. */
  const broken: string[] = [];
  const world = await openWorld({ seed, phase, say });
  const follower = new AbortController();
  try {
    const before = processesOf(world);
    const business = await openBusiness(world);
    world.later(business.close);
    const honest = new Honest(world);
    await world.registries.plantSound(SOUND);
    await world.registerCanonical();
    await business.sell();
    const first = await honest.register(phase === "free" ? "siwa" : "x402");
    if (!first) throw new Error("the first registration failed before the attack had begun");
    await honest.listen(first);
    const following = honest.follow(follower.signal);
    say(`${people} people and ${attackers} attackers with ${attacks.length} attacks begin`);
    const played = await play(run, { world, honest, business }, attacks, score, broken);
    say(`the play is over after ${played.toFixed(0)} s; ${honest.agents.length} honest agents`);
    await world.registries.plantSound(3);
    await world.registerCanonical();
    await honest.everything(honest.wayOf(world.random("last")));
    const verdicts = await judge({ world, honest, business }, before, say);
    follower.abort();
    await following;
    const breaches = breachesOf(score, honest.lines, verdicts);
    return {
      ...{ phase, seconds: played, attacks: score.lines, honest: honest.lines, verdicts, broken },
      /** Everything that must not have been, a sentence each; none: the stack held. */
      breaches,
      /** What the logs warn of, where there are breaches. */
      warnings: breaches.length > 0 ? warningsOf(world) : [],
    };
  } finally {
    follower.abort();
    world.ending.abort();
    await world.close();
  }
}

type Parties = Pick<Scene, "world" | "honest" | "business">;
const nameOf = ({ number, name }: Attack) => `${number} ${name}`;

async function play(
  { seconds, people, attackers }: Run,
  { world, honest, business }: Parties,
  attacks: readonly Attack[],
  score: Score,
  broken: string[],
): Promise<number> {
  const began = performance.now();
  const left = () => seconds - (performance.now() - began) / 1000;
  let turn = 0;
  let deck: Attack[] = [];
  const shuffling = world.random("deck");

  /** Each attack once, in an order of the seed, then all of them again; undefined when the time is over and all had a turn. */
  function next(): { attack: Attack; turn: number } | undefined {
    if (left() <= 0 && turn >= attacks.length) return undefined;
    if (deck.length === 0)
      deck = attacks
        .map((attack) => ({ attack, at: shuffling() }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ attack }) => attack);
    const attack = deck.pop();
    return attack && { attack, turn: turn++ };
  }

  async function attacker(): Promise<void> {
    for (let drawn = next(); drawn; drawn = next()) {
      const { attack } = drawn;
      const random = randomOf(Math.floor(world.random(`play ${drawn.turn}`)() * 2 ** 31));
      const scene: Scene = {
        ...{ world, honest, business, random, tell: score.of(nameOf(attack)) },
        client: () => world.client(`198.51.100.${1 + Math.floor(random() * HOSTILE_NETWORKS)}`),
      };
      const late = wait(PLAY_MS, "late", { ref: false });
      const done = attack.play(scene).catch((error: Error) => {
        if (error instanceof Refused) return scene.tell.refused();
        broken.push(`${nameOf(attack)}: ${error.message.split("\n").slice(0, 3).join(" ")}`);
      });
      if ((await Promise.race([done, late])) === "late") broken.push(`${nameOf(attack)}: not over after two minutes`);
    }
  }

  const hostile = Promise.all(Array.from({ length: attackers }, attacker));
  const living = Promise.all(Array.from({ length: people }, (_, i) => honest.live(world.random(`person ${i}`))));
  const half = wait((seconds * 1000) / 2, undefined, { signal: world.ending.signal })
    .then(() => Promise.all([world.registries.plantSound(5), world.registerCanonical(), business.sell()]))
    .catch(() => {});
  await hostile;
  await half;
  world.ending.abort();
  await living;
  return (performance.now() - began) / 1000;
}

function breachesOf(score: Score, honest: Map<string, Line>, verdicts: readonly Verdict[]): string[] {
  return [
    ...[...score.lines].flatMap(([name, { succeeded }]) => succeeded.map((what) => `attack ${name}: ${what}`)),
    ...[...honest].flatMap(([what, { failures }]) => failures.map((failure) => `honest ${what}: ${failure}`)),
    ...verdicts.flatMap(({ what, wrong }) => wrong.map((one) => `${what}: ${one}`)),
  ];
}

/** A report as tables of text. */
export function tablesOf({ phase, seconds, attacks, honest, verdicts, broken, breaches, warnings }: Report): string {
  const tried = table(
    ["attack", "tried", "refused", "succeeded"],
    [...attacks].map(([name, { tried, refused, succeeded }]) => [name, tried, refused, succeeded.length]),
  );
  const done = table(
    ["honest people", "times", "p50 s", "p95 s", "max s", "failures"],
    [...honest]
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([what, { ms, failures }]) => [
        what,
        ms.length,
        ...[0.5, 0.95, 1].map((share) => (ms.length > 0 ? (quantile(ms, share) / 1000).toFixed(2) : "–")),
        failures.length,
      ]),
  );
  const truths = table(
    ["after it", "holds", "after s"],
    verdicts.map(({ what, wrong, seconds }) => [what, wrong.length === 0 ? "yes" : "NO", seconds.toFixed(1)]),
  );
  const answers = [...attacks].flatMap(([name, line]) => {
    const counted = Object.entries(line.answers).toSorted((a, b) => b[1] - a[1]);
    return counted.length > 0 ? [`${name}: ${counted.map(([answer, times]) => `${answer} ${times}×`).join(", ")}`] : [];
  });
  const lists = [
    ...(answers.length > 0 ? ["", "answers to attacks:", ...answers] : []),
    ...(broken.length > 0 ? ["", "plays that broke by themselves:", ...new Set(broken)] : []),
    ...(breaches.length > 0 ? ["", "BREACHES:", ...breaches] : []),
    ...(warnings.length > 0 ? ["", "warnings of the logs:", ...warnings] : []),
  ];
  return [`phase ${phase}, ${seconds.toFixed(0)} s`, "", tried, "", done, "", truths, ...lists, ""].join("\n");
}
