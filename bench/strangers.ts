/** `npm run bench -- strangers [--short]`: how long a transaction and a webhook take while the worker reads two hundred hostile hosts, and while it reads none. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { openHonest } from "../harness/attack/honest.ts";
import { openWorld } from "../harness/attack/world.ts";
import { until } from "../harness/until.ts";
import { goal } from "./goal.ts";

const HOSTS = 200;
/** Max share by which either may take longer beside the hosts. */
const SLOWER = 0.2;
const DUE_EVERY_MS = 2_000;

/** @param args `--short` for fewer rounds */
export default async function strangers(args: string[]): Promise<void> {
  const { rounds, each } = args.includes("--short") ? { rounds: 3, each: 10 } : { rounds: 5, each: 20 };
  const hosts = fork(join(import.meta.dirname, "strangers/hosts.ts"));
  const [{ port }] = (await once(hosts, "message")) as [{ port: number }];
  const asked = async (): Promise<number> => {
    hosts.send("asked");
    const [told] = (await once(hosts, "message")) as [{ asked: number }];
    return told.asked;
  };
  const world = await openWorld({ seed: 1, phase: "free", say: () => {} });
  try {
    const honest = await openHonest(world);
    const first = await honest.register("siwa");
    if (!first) throw new Error("nobody can register");
    await honest.listen(first);
    const { db, receivers } = world;
    await plant(port);

    /** Milliseconds of registrations, and of what their webhook took: each from its request on. */
    async function measure(times: number): Promise<{ transaction: number[]; webhook: number[] }> {
      const taken = { transaction: [] as number[], webhook: [] as number[] };
      for (let n = 0; n < times; n++) {
        const agent = await honest.register("siwa");
        if (!agent) throw new Error("a registration failed");
        const ms = honest.lines.get("register (siwa)")!.ms.at(-1)!;
        const began = Date.now() - ms;
        const hook = await until(
          "its webhook came",
          () =>
            receivers.received.find(({ tokenId, type }) => type === "agent.registered" && tokenId === agent.tokenId),
          { everyMs: 5 },
        );
        taken.transaction.push(ms);
        taken.webhook.push(hook.at - began);
      }
      return taken;
    }

    async function plant(at: number): Promise<void> {
      const services = (n: number) => {
        const url = `http://127.0.1.${n + 1}:${at}`;
        return JSON.stringify([
          { name: "MCP", endpoint: `${url}/mcp` },
          { name: "A2A", endpoint: `${url}/card.json` },
        ]);
      };
      for (let n = 0; n < HOSTS; n++)
        await db.query(
          "insert into offchain.directory (platform, agent_id, name, services, cred_score) values ('agentverse', $1, 'Stranger', $2, 50)",
          [`stranger-${n}`, services(n)],
        );
      await until("all of them were asked", async () => (await asked()) >= HOSTS, { timeoutMs: 300_000 });
    }
    /** Makes all hosts due again and again, or never. */
    const setDue = (at: string) =>
      db.query(`update offchain.offer_source set next_try_at = now() ${at} where url like 'http://127.0.1.%'`);

    const beside = { transaction: [] as number[], webhook: [] as number[] };
    const alone = { transaction: [] as number[], webhook: [] as number[] };
    let requests = 0;
    for (let round = 0; round < rounds; round++) {
      await setDue("+ interval '1 day'");
      let before = -1;
      await until(
        "the hosts are left alone",
        async () => {
          const now = await asked();
          const quiet = now === before;
          before = now;
          return quiet;
        },
        { everyMs: 6_000, timeoutMs: 120_000 },
      );
      add(alone, await measure(each));
      await setDue("");
      const busy = setInterval(() => void setDue("").catch(() => {}), DUE_EVERY_MS);
      try {
        await until("the hosts are read", async () => (await asked()) > before, { timeoutMs: 120_000 });
        add(beside, await measure(each));
      } finally {
        clearInterval(busy);
      }
      requests += (await asked()) - before;
    }
    console.log(`${rounds * each} registrations beside ${HOSTS} hosts with ${requests} requests, and as many without`);
    for (const what of ["transaction", "webhook"] as const) {
      const [with_, without] = [median(beside[what]), median(alone[what])];
      const ratio = with_ / without;
      const reached = `${with_.toFixed(0)} ms, ${without.toFixed(0)} ms without them: ${ratio.toFixed(2)} ×`;
      console.log(goal(`a ${what} takes at most ${1 + SLOWER} ×`, reached, ratio <= 1 + SLOWER));
    }
  } finally {
    world.ending.abort();
    await world.close();
    hosts.kill();
  }
}

type Taken = { transaction: number[]; webhook: number[] };
function add(to: Taken, more: Taken): void {
  to.transaction.push(...more.transaction);
  to.webhook.push(...more.webhook);
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
