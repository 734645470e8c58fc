/** `npm run bench -- hosts [--short]`: planted hosts, plain, odd but right and hostile, read as the job of offers reads them: what is found, and what it costs. */
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openPublicHttp, type PublicHttp } from "../clients/public-http.ts";
import { type Child, startChild } from "../harness/child.ts";
import { atLeast, atMost, cpuMsSince, printTable, stopwatch, sum } from "../harness/figures.ts";
import { type HostReading, readHost } from "../harness/strange-hosts/read.ts";
import type { Hostile, HostsMessage, Right } from "./hosts/planted.ts";

/** Max milliseconds of processor time that a hostile host may cost. */
const MAX_CPU_MS = 50;
const PROBES_A_DAY = 100_000;

type Cost = { found: HostReading; requests: number; cpuMs: number; wallMs: number };
type Measure = (host: Right | Hostile) => Promise<Cost>;

/** @param args `--short` for one measured reading of each instead of five */
export default async function hosts(args: string[]): Promise<void> {
  const repeats = args.includes("--short") ? 1 : 5;
  const planted = startChild(join(import.meta.dirname, "hosts/planted.ts"));
  const { plain, odd, hostile } = await planted.hears<HostsMessage>();
  const http = openPublicHttp({ userAgent: "bench", loopback: true });
  try {
    const measure = measurer(http, planted, repeats);
    const spent: number[] = [];
    const isRead = ({ offers }: Right, { found, cpuMs }: Cost) => {
      spent.push(cpuMs);
      return found.answers && String(found.offers) === String(offers)
        ? ""
        : `NOT READ: ${found.why ?? `instead of ${offers}`}`;
    };
    const isCheap = ({ mostOffers }: Hostile, { found, cpuMs }: Cost) =>
      found.offers.length <= mostOffers && cpuMs < MAX_CPU_MS ? "" : "TOO MUCH";
    const wrong = [
      ...(await readGroup("plain", plain, { measure, wrongWith: isRead })),
      ...(await readGroup("odd but right", odd, { measure, wrongWith: isRead })),
    ];
    const dear = await readGroup("hostile", hostile, { measure, wrongWith: isCheap });
    const right = plain.length + odd.length;
    console.log();
    console.log(atLeast("right hosts that are read", right - wrong.length, right));
    const dayOf = ((sum(spent) / right) * PROBES_A_DAY) / 86_400_000;
    console.log(
      atMost(`${PROBES_A_DAY} readings of right hosts a day, of a core`, 100 * dayOf, 100, { unit: " %", digits: 2 }),
    );
    const held = `hostile ones that cost under ${MAX_CPU_MS} ms of CPU each, and give no more than they may`;
    console.log(atLeast(held, hostile.length - dear.length, hostile.length));
    if (wrong.length + dear.length > 0) process.exitCode = 1;
  } finally {
    await http.close();
    await planted.stop();
  }
  if (process.exitCode) process.exit();
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Reads a host several times; the reading of the median cost speaks for it. */
function measurer(http: PublicHttp, planted: Child, repeats: number): Measure {
  const askedOf = async (name: string) => (await planted.asks<{ asked: number }>(name)).asked;
  return async (host) => {
    // The first reading of a kind compiles what reads it.
    await readHost(http, host.kind, host.url);
    // What was left of the readings before is not this one's.
    collectGarbage();
    const before = await askedOf(host.name);
    const costs: Omit<Cost, "requests">[] = [];
    // One that is ended by its time takes seconds each.
    const times = "endless" in host ? Math.min(repeats, 3) : repeats;
    for (let n = 0; n < times; n++) costs.push(await readOnce(http, host));
    const requests = ((await askedOf(host.name)) - before) / costs.length;
    const byCpu = costs.toSorted((a, b) => a.cpuMs - b.cpuMs);
    return { ...byCpu[Math.floor(byCpu.length / 2)]!, requests };
  };
}

async function readOnce(http: PublicHttp, { kind, url }: Right | Hostile): Promise<Omit<Cost, "requests">> {
  const from = process.cpuUsage();
  const [wallMs, found] = await stopwatch(() => readHost(http, kind, url));
  return { found, cpuMs: cpuMsSince(from), wallMs };
}

/** Prints a row for each host. @param check.wrongWith empty for a host that is as it must be @returns the names of the others */
async function readGroup<Host extends Right | Hostile>(
  title: string,
  group: readonly Host[],
  { measure, wrongWith }: { measure: Measure; wrongWith(host: Host, cost: Cost): string },
): Promise<string[]> {
  console.log();
  const row = printTable(`${group.length} ${title}`, ["found", "requests", ["CPU ms", 1], "wall ms", ""], 66);
  const names: string[] = [];
  for (const host of group) {
    const cost = await measure(host);
    const { found, requests, cpuMs, wallMs } = cost;
    const wrong = wrongWith(host, cost);
    if (wrong) names.push(host.name);
    row(
      host.name,
      found.status === "read" ? `${found.offers.length} offers` : found.status,
      requests,
      cpuMs,
      wallMs,
      wrong,
    );
  }
  return names;
}
