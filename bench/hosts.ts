/** `npm run bench -- hosts [--short]`: planted hosts, plain, odd but right and hostile, read as the job of offers reads them: what is found, and what it costs. */
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openPublicHttp, type PublicHttp } from "../clients/public-http.ts";
import { type Child, startChild } from "../harness/child.ts";
import { atLeast, printTable } from "../harness/figures.ts";
import { type Found, readHost } from "../harness/strange-hosts/read.ts";
import type { Hostile, Right, Told } from "./hosts/planted.ts";

/** Max milliseconds of processor time that a hostile host may cost. */
const MAX_CPU_MS = 50;

type Cost = { found: Found; requests: number; cpuMs: number; wallMs: number };
type Measure = (host: Right | Hostile) => Promise<Cost>;

/** @param args `--short` for one measured reading of each instead of five */
export default async function hosts(args: string[]): Promise<void> {
  const repeats = args.includes("--short") ? 1 : 5;
  const planted = startChild(join(import.meta.dirname, "hosts/planted.ts"));
  const { plain, odd, hostile } = await planted.hears<Told>();
  const http = openPublicHttp({ userAgent: "bench", loopback: true });
  try {
    const measure = measurer(http, planted, repeats);
    const wrong = [...(await readRight("plain", plain, measure)), ...(await readRight("odd but right", odd, measure))];
    const dear = await readHostile(hostile, measure);
    const right = plain.length + odd.length;
    console.log();
    console.log(atLeast("right hosts that are read", right - wrong.length, right));
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
  const began = performance.now();
  const from = process.cpuUsage();
  const found = await readHost(http, kind, url);
  const { user, system } = process.cpuUsage(from);
  return { found, cpuMs: (user + system) / 1_000, wallMs: performance.now() - began };
}

/** @returns the names of those that were not read */
async function readRight(title: string, group: readonly Right[], measure: Measure): Promise<string[]> {
  const wrong: string[] = [];
  const row = rowsBelow(`${group.length} ${title}`);
  for (const { offers, ...host } of group) {
    const cost = await measure({ offers, ...host });
    const read = cost.found.answers && String(cost.found.offers) === String(offers);
    if (!read) wrong.push(host.name);
    row(host.name, cost, read ? "" : `  NOT READ: ${cost.found.why ?? `instead of ${offers}`}`);
  }
  return wrong;
}

/** @returns the names of those that cost or gave too much */
async function readHostile(group: readonly Hostile[], measure: Measure): Promise<string[]> {
  const dear: string[] = [];
  const row = rowsBelow(`${group.length} hostile`);
  for (const host of group) {
    const cost = await measure(host);
    const held = cost.found.offers.length <= host.mostOffers && cost.cpuMs < MAX_CPU_MS;
    if (!held) dear.push(host.name);
    row(host.name, cost, held ? "" : "  TOO MUCH");
  }
  return dear;
}

/** Prints the head of a group. @returns what prints a row of it, with what is to be said of it */
function rowsBelow(title: string) {
  console.log();
  const print = printTable(title, ["found", "requests", ["CPU ms", 1], "wall ms", ""], 66);
  return (name: string, { found, requests, cpuMs, wallMs }: Cost, says: string) =>
    print(
      name,
      found.status === "read" ? `${found.offers.length} offers` : found.status,
      requests,
      cpuMs,
      wallMs,
      says,
    );
}
