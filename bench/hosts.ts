/** `npm run bench -- hosts [--short]`: planted hosts, plain, odd but right and hostile, read as the job of offers reads them: what is found, and what it costs. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { openPublicHttp, type PublicHttp } from "../clients/public-http.ts";
import { HOSTILE } from "../harness/strange-hosts/hostile.ts";
import { ODD } from "../harness/strange-hosts/odd.ts";
import type { HostileHost, RightHost } from "../harness/strange-hosts/parts.ts";
import { PLAIN } from "../harness/strange-hosts/plain.ts";
import { type Found, readHost } from "../harness/strange-hosts/read.ts";
import { goal } from "./goal.ts";

/** Max milliseconds of processor time that a hostile host may cost. */
const MOST_CPU_MS = 50;

type Cost = { found: Found; requests: number; cpuMs: number; wallMs: number };

/** @param args `--short` for one measured reading of each instead of five */
export default async function hosts(args: string[]): Promise<void> {
  const repeats = args.includes("--short") ? 1 : 5;
  const planted = fork(join(import.meta.dirname, "hosts/planted.ts"));
  const [{ urls }] = (await once(planted, "message")) as [{ urls: Record<string, string> }];
  const http = openPublicHttp({ userAgent: "bench", loopback: true });
  const askedOf = async (name: string): Promise<number> => {
    planted.send(name);
    const [{ asked }] = (await once(planted, "message")) as [{ asked: number }];
    return asked;
  };
  const wrong: string[] = [];
  const dear: string[] = [];
  try {
    const measure = async (host: RightHost | HostileHost): Promise<Cost> => {
      const url = urls[host.name]!;
      const slow = "endless" in host;
      // The first reading of a kind compiles what reads it. One that is ended by its time takes seconds each.
      if (!slow) await readHost(http, host.kind, url);
      const before = await askedOf(host.name);
      const costs: Omit<Cost, "requests">[] = [];
      for (let n = 0; n < (slow ? Math.min(repeats, 3) : repeats); n++) costs.push(await readOnce(http, host, url));
      const requests = ((await askedOf(host.name)) - before) / costs.length;
      const byCpu = costs.toSorted((a, b) => a.cpuMs - b.cpuMs);
      return { ...byCpu[Math.floor(byCpu.length / 2)]!, requests };
    };
    for (const [title, group] of [
      ["plain", PLAIN],
      ["odd but right", ODD],
    ] as const) {
      head(title, group.length);
      for (const host of group) {
        const cost = await measure(host);
        const right = cost.found.answers && String(cost.found.offers) === String(host.offers);
        if (!right) wrong.push(host.name);
        row(host.name, cost, right ? "" : `  NOT READ: ${cost.found.why ?? `instead of ${host.offers}`}`);
      }
    }
    head("hostile", HOSTILE.length);
    for (const host of HOSTILE) {
      const cost = await measure(host);
      const bounded = cost.found.offers.length <= host.mostOffers && cost.cpuMs < MOST_CPU_MS;
      if (!bounded) dear.push(host.name);
      row(host.name, cost, bounded ? "" : "  TOO MUCH");
    }
  } finally {
    await http.close();
    planted.disconnect();
  }
  const right = PLAIN.length + ODD.length;
  console.log();
  console.log(goal(`all ${right} right hosts are read`, `${right - wrong.length} of ${right}`, wrong.length === 0));
  const held = `${HOSTILE.length - dear.length} of ${HOSTILE.length}`;
  console.log(
    goal(`each of ${HOSTILE.length} hostile ones costs under ${MOST_CPU_MS} ms of CPU`, held, dear.length === 0),
  );
  if (wrong.length + dear.length > 0) process.exit(1);
}

async function readOnce(http: PublicHttp, { kind }: RightHost | HostileHost, url: string) {
  const began = performance.now();
  const from = process.cpuUsage();
  const found = await readHost(http, kind, url);
  const { user, system } = process.cpuUsage(from);
  return { found, cpuMs: (user + system) / 1_000, wallMs: performance.now() - began };
}

const head = (title: string, count: number) =>
  console.log(`\n${`${count} ${title}`.padEnd(66)} found                  requests    CPU ms   wall ms`);

function row(name: string, { found, requests, cpuMs, wallMs }: Cost, says: string): void {
  const what = found.status === "read" ? `${found.offers.length} offers` : found.status;
  const cells = [requests.toFixed(0).padStart(8), cpuMs.toFixed(1).padStart(9), wallMs.toFixed(0).padStart(9)];
  console.log(`${name.padEnd(66)} ${what.padEnd(22)} ${cells.join(" ")}${says}`);
}
