/** L1: keyed reads over 32 and 256 connections in turn. The ratio to the database's own limit (P1) is `bench -- reads --keyed`. */
import { type Check, measured, median, ofReads } from "./check.ts";
import type { LoadWorld } from "./service.ts";

export async function keyed(world: LoadWorld, { rounds, seconds }: { rounds: number; seconds: number }) {
  const api = await world.startApi();
  const rates = new Map<number, number[]>([
    [32, []],
    [256, []],
  ]);
  const p99: Record<number, number[]> = { 32: [], 256: [] };
  let [failures, refusals] = [0, 0];
  await world.read(api, 32, seconds);
  for (let round = 0; round < rounds; round++)
    for (const [connections, kept] of rates) {
      const loaded = await world.read(api, connections, seconds);
      kept.push(loaded.answers / loaded.seconds);
      p99[connections]!.push(loaded.p99Ms);
      failures += loaded.failures - loaded.refusals;
      refusals += loaded.refusals;
    }
  const [few, many] = [median(rates.get(32)!), median(rates.get(256)!)];
  await api.stop();
  return [
    ...ofReads(failures, refusals),
    measured("answers a second over 32 / 256 connections", `${few.toFixed(0)} / ${many.toFixed(0)}`, "told only", true),
    measured(
      "p99 over 32 / 256 connections",
      `${median(p99[32]!).toFixed(1)} / ${median(p99[256]!).toFixed(1)} ms`,
      "told only",
      true,
    ),
    measured("256 connections against 32", `${(many / few).toFixed(2)} ×`, "≥ 0.9 ×", many / few >= 0.9),
  ] satisfies Check[];
}
