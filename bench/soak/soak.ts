/** A soak: the whole stack under everything at once for an hour, sampled, and judged at the end. */
import { cpus, loadavg } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { type Stack, startStack } from "../../harness/stack.ts";
import { restartsIn, uncaughtIn } from "../../harness/stack-parts.ts";
import { INSPECTABLE, openSampler, type Sample } from "./sampler.ts";
import { total } from "./tally.ts";
import { startTraffic, type Traffic, type TrafficPlan } from "./traffic.ts";
import { judge } from "./verdict.ts";

export type SoakOptions = Omit<TrafficPlan, "devnet"> & {
  /** How long it lasts once it is warm. */
  seconds: number;
  /** Before it counts: seconds, and the factor of the rate, until the caches do not grow any more. */
  warmUp: { seconds: number; times: number };
  sampleEverySeconds: number;
  /** Of the stack, above what a soak needs. */
  env?: Record<string, string>;
  args?: string[];
  /** A line of progress. */
  say(line: string): void;
};

/** Rows are counted with every fourth sample. */
const COUNT_ROWS_EVERY = 4;

/** @throws Error when the stack does not start */
export async function soak(options: SoakOptions) {
  const { seconds, say } = options;
  const [startedAt, loadAtStart] = [new Date().toISOString(), loadavg()[0]!];
  say("the stack starts");
  const stack = await startStack({
    args: options.args ?? [],
    env: { PRICING_PHASE: "paid", NODE_OPTIONS: INSPECTABLE, ...options.env },
  });
  let traffic: Traffic | undefined;
  try {
    const sampler = await openSampler({ root: stack.process.pid!, databaseUrl: stack.devnet.databaseUrl });
    const { perSecond, warmUp } = options;
    traffic = await startTraffic({ ...options, perSecond: perSecond * warmUp.times, devnet: stack.devnet });
    say(`warming up for ${warmUp.seconds} s`);
    await wait(warmUp.seconds * 1000);
    traffic.setRate(perSecond);
    // A refusal at the rate of the warm-up does not count; an error counts at any rate.
    const warm = { answers: total(traffic.tally), refusals: traffic.tally.refusals };
    const began = performance.now();
    const second = () => (performance.now() - began) / 1000;
    const samples: Sample[] = [];
    let shown = 0;
    while (second() < seconds) {
      await until(began + Math.min(seconds, (samples.length + 1) * options.sampleEverySeconds) * 1000);
      const sample = await sampler.sample(second(), {
        countRows: samples.length % COUNT_ROWS_EVERY === 0 || second() >= seconds,
        apiUrl: stack.devnet.apiUrl,
      });
      samples.push(sample);
      say(progressOf(sample, traffic));
      for (; shown < traffic.tally.troubles.length; shown++) say(`      ${traffic.tally.troubles[shown]}`);
    }
    await traffic.stop();
    await sampler.close();
    const restarts = restartsOf(samples, stack);
    const uncaught = uncaughtIn(stack);
    const { tally } = traffic;
    const refusals = tally.refusals - warm.refusals;
    const answers = total(tally) - warm.answers;
    const verdict = judge(samples, seconds, { errors: tally.errors, refusals, answers, restarts, uncaught });
    return {
      ...{ startedAt, seconds, verdict, tally, restarts, uncaught, samples },
      machine: { cores: cpus().length, loadAtStart, loadAtEnd: loadavg()[0]! },
      events: traffic.events(),
      reorganisations: traffic.reorganisations(),
      agents: traffic.agents(),
    };
  } finally {
    await traffic?.stop();
    await stack.remove();
  }
}

const until = (time: number) => wait(Math.max(0, time - performance.now()));

function progressOf({ second, parts }: Sample, traffic: Traffic): string {
  const memory = Object.entries(parts)
    .map(
      ([name, { rssBytes, usedBytes }]) =>
        `${name} ${(rssBytes / 2 ** 20).toFixed(0)}/${((usedBytes ?? Number.NaN) / 2 ** 20).toFixed(1)}`,
    )
    .join(", ");
  const { tally } = traffic;
  return `${second.toFixed(0).padStart(5)} s  ${total(tally)} answers, ${tally.errors} errors, ${tally.refusals} refused, ${traffic.agents()} agents, ${traffic.events()} events; MB resident/heap: ${memory}`;
}

/** A part with another process id than before was started again; the supervisor logs it as well. */
function restartsOf(samples: readonly Sample[], stack: Stack): string[] {
  const seen = new Map<string, number>();
  const changed = samples.flatMap(({ second, parts }) =>
    Object.entries(parts).flatMap(([name, { pid }]) => {
      const before = seen.get(name);
      seen.set(name, pid);
      return before !== undefined && before !== pid
        ? [`${name} has another process at second ${second.toFixed(0)}`]
        : [];
    }),
  );
  return [...restartsIn(stack), ...changed];
}
