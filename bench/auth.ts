/** `npm run bench -- auth [--short]`: what a signature costs, then keyed reads while a thousand bad signatures a second arrive. */
import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { startPostgres } from "../devnet/postgres.ts";
import { scratchDirectory } from "../harness/scratch.ts";
import { startBareNode } from "./auth/node.ts";
import type { Storm, Stormed } from "./auth/storm.ts";
import type { Load, Loaded } from "./reads/load.ts";
import { type Served, startApi } from "./reads/servers.ts";
import signatures from "./signatures.ts";

const AGENTS = 10_000;
const BAD_PER_SECOND = 1_000;
const READERS = 2;

/** @param args `--short` for fewer and shorter rounds */
export default async function auth(args: string[]): Promise<void> {
  const short = args.includes("--short");
  await signatures(args);
  console.log(`\n## keyed reads beside ${BAD_PER_SECOND.toLocaleString("en")} bad signatures a second\n`);
  const directory = scratchDirectory("bench-auth", { onDisk: true });
  const postgres = await startPostgres({ dataDir: join(directory, "pg"), fast: true });
  const node = await startBareNode();
  const started: { stop(): unknown }[] = [];
  try {
    await promisify(execFile)(process.execPath, [
      join(import.meta.dirname, "list/world.ts"),
      postgres.url,
      String(AGENTS),
    ]);
    const api = await startApi(postgres.url, join(directory, "data"), node.url);
    started.push(api);
    const [load, storm] = ["reads/load.ts", "auth/storm.ts"].map((file) => fork(join(import.meta.dirname, file)));
    started.push({ stop: () => load!.kill() }, { stop: () => storm!.kill() });
    await measure(api, load!, storm!, node, short ? { rounds: 3, seconds: 3 } : { rounds: 9, seconds: 5 });
  } finally {
    await Promise.all(started.map(({ stop }) => stop()));
    node.stop();
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

type Plan = { rounds: number; seconds: number };

async function measure(
  api: Served,
  load: ChildProcess,
  storm: ChildProcess,
  node: { asked: number },
  { rounds, seconds }: Plan,
): Promise<void> {
  const read = async (forSeconds: number): Promise<Loaded> => {
    const asked: Load = {
      ...{ url: api.url, path: "/api/v2/agent/*", ids: AGENTS },
      ...{ connections: READERS, forMs: forSeconds * 1000 },
    };
    load.send(asked);
    const [loaded] = (await once(load, "message")) as [Loaded];
    return loaded;
  };
  const p99: Record<"quiet" | "storm", number[]> = { quiet: [], storm: [] };
  const rate: Record<"quiet" | "storm", number[]> = { quiet: [], storm: [] };
  const keep = (kind: "quiet" | "storm", { answers, seconds: took, p99Ms }: Loaded) => {
    p99[kind].push(p99Ms);
    rate[kind].push(answers / took);
  };
  let stormed: Stormed = { sent: 0, byStatus: {} };
  let stormSeconds = 0;
  await read(seconds);
  const askedBefore = node.asked;
  for (let round = 0; round < rounds; round++) {
    keep("quiet", await read(seconds));
    storm.send({ url: api.url, perSecond: BAD_PER_SECOND } satisfies Storm);
    const began = performance.now();
    keep("storm", await read(seconds));
    stormSeconds += (performance.now() - began) / 1000;
    storm.send("stop");
    const [more] = (await once(storm, "message")) as [Stormed];
    stormed = { sent: stormed.sent + more.sent, byStatus: added(stormed.byStatus, more.byStatus) };
  }
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
  for (const kind of ["quiet", "storm"] as const)
    console.log(
      `${kind.padEnd(6)} p99 ${median(p99[kind]).toFixed(2)} ms, ${Math.round(median(rate[kind]))} reads a second`,
    );
  const ratio = median(p99.storm) / median(p99.quiet);
  console.log(`p99 of a keyed read in the storm: ${ratio.toFixed(2)} × (target ≤ 2 ×), medians of ${rounds} rounds`);
  console.log(`${stormed.sent} bad signatures, answered ${JSON.stringify(stormed.byStatus)}`);
  console.log(`the chain was asked ${((node.asked - askedBefore) / stormSeconds).toFixed(1)} times a second`);
}

const added = (one: Record<string, number>, other: Record<string, number>) =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((key) => [key, (one[key] ?? 0) + (other[key] ?? 0)]),
  );
