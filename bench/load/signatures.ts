/** L5: bad signatures at a fixed rate during keyed reads; the number of questions to the chain stays within the allowance. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { startChild } from "../../harness/child.ts";
import { sum } from "../../harness/figures.ts";
import type { LoadResult } from "../reads/load.ts";
import { type Check, counted, none, ofReads, ratioOfP99, reported } from "./check.ts";
import type { Plan, Run } from "./open-loop.ts";
import type { LoadWorld } from "./service.ts";

const READERS = 2;
/** More than are under way at once: none waits for another's answer. */
const CONNECTIONS = 64;
/** Of one client, which the storm is: at once, and a second. */
const ALLOWANCE = { burst: 60, perSecond: 1 };
/** Statuses that may answer a bad signature: refused, or refused for now. */
const REFUSALS = new Set(["401", "429", "503"]);

export async function signatures(
  world: LoadWorld,
  { rounds, seconds, perSecond }: { rounds: number; seconds: number; perSecond: number },
): Promise<Check[]> {
  const api = await world.startApi({
    env: { LIMITS: "sign-ins=0,contract-signatures=6000" },
  });
  const storm = startChild(join(import.meta.dirname, "open-loop.ts"));
  const [quiet, loud]: [LoadResult[], LoadResult[]] = [[], []];
  const paths = Array<string>(perSecond * seconds).fill("/api/v2/auth/revoke");
  const byStatus: Record<string, number> = {};
  await world.read(api, READERS, seconds);
  const [askedBefore, began] = [world.asked(), performance.now()];
  for (let round = 0; round < rounds; round++) {
    quiet.push(await world.read(api, READERS, seconds));
    const [stormed, reads] = await Promise.all([
      storm.asks<Run>({
        ...{ url: api.url, paths, perSecond, connections: CONNECTIONS },
        credentials: paths.map(badCredential),
      } satisfies Plan),
      world.read(api, READERS, seconds),
    ]);
    loud.push(reads);
    for (const [status, { length }] of Object.entries(stormed.byStatus))
      byStatus[status] = (byStatus[status] ?? 0) + length;
  }
  const asked = world.asked() - askedBefore;
  const most = ALLOWANCE.burst + Math.ceil(((performance.now() - began) / 1000) * ALLOWANCE.perSecond);
  await storm.stop();
  await api.stop();
  const sent = rounds * paths.length;
  const answered = sum(Object.values(byStatus));
  const others = Object.entries(byStatus).filter(([status]) => !REFUSALS.has(status));
  return [
    counted("questions to the chain", asked, `≤ ${most}`, asked > 0 && asked <= most),
    none("bad signatures that were let in or broke something", others.length),
    ...ofReads(loud),
    counted("bad signatures answered", answered, "> 0", answered > 0),
    reported("bad signatures", `${sent} ${JSON.stringify(byStatus)}`),
    ratioOfP99(quiet, loud, 2),
  ];
}

/** A credential of the right shape and time, whose signature is noise: each another wallet's. */
function badCredential(): string {
  const signature = randomBytes(65);
  // Such that recovery is tried: s in the lower half, v as wallets write it.
  signature[32]! &= 0x3f;
  signature[64] = 27;
  return `Bearer 0x${randomBytes(20).toString("hex")}:${Date.now()}:0x${signature.toString("hex")}`;
}
