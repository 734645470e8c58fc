/** L5: bad signatures at a fixed rate during keyed reads; the number of questions to the chain stays within the allowance. */
import { join } from "node:path";
import { startChild } from "../../harness/child.ts";
import type { LoadResult } from "../reads/load.ts";
import type { Storm, StormCounts } from "./bad-signatures.ts";
import { type Check, counted, none, ofReads, ratioOfP99, reported } from "./check.ts";
import type { LoadWorld } from "./service.ts";

const READERS = 2;
const MAX_ROUNDS = 20;
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
  const storm = startChild(join(import.meta.dirname, "bad-signatures.ts"));
  const [quiet, loud]: [LoadResult[], LoadResult[]] = [[], []];
  let sent = 0;
  const byStatus: Record<string, number> = {};
  await world.read(api, READERS, seconds);
  const [askedBefore, began] = [world.asked(), performance.now()];
  const answered = () => Object.values(byStatus).reduce((sum, n) => sum + n, 0);
  // On a busy machine a short storm may be over before its first answer.
  for (let round = 0; round < rounds || (answered() === 0 && round < MAX_ROUNDS); round++) {
    quiet.push(await world.read(api, READERS, seconds));
    storm.process.send({ url: api.url, perSecond } satisfies Storm);
    loud.push(await world.read(api, READERS, seconds));
    const stormed = await storm.asks<StormCounts>("stop");
    sent += stormed.sent;
    for (const [status, n] of Object.entries(stormed.byStatus)) byStatus[status] = (byStatus[status] ?? 0) + n;
  }
  const asked = world.asked() - askedBefore;
  const most = ALLOWANCE.burst + Math.ceil(((performance.now() - began) / 1000) * ALLOWANCE.perSecond);
  await storm.stop();
  await api.stop();
  const others = Object.entries(byStatus).filter(([status]) => !REFUSALS.has(status));
  return [
    counted("questions to the chain", asked, `≤ ${most}`, asked > 0 && asked <= most),
    none("bad signatures that were let in or broke something", others.length),
    ...ofReads(loud),
    counted("bad signatures answered", answered(), "> 0", answered() > 0),
    reported("bad signatures", `${sent} ${JSON.stringify(byStatus)}`),
    ratioOfP99(quiet, loud, 2),
  ];
}
