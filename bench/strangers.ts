/** `npm run bench -- strangers [--short]`: how long a transaction and a webhook take while the worker reads two hundred hostile hosts, and while it reads none. */
import { join } from "node:path";
import { Honest } from "../harness/attack/honest.ts";
import { openWorld } from "../harness/attack/world.ts";
import { type Child, startChild } from "../harness/child.ts";
import { goal, median } from "../harness/figures.ts";
import { until } from "../harness/until.ts";

const HOSTS = 200;
/** Max share by which either may take longer while the hosts are read. */
const SLOWER = 0.2;
const DUE_EVERY_MS = 2_000;

type Scene = {
  db: Awaited<ReturnType<typeof openWorld>>["db"];
  /** Requests that the hosts have had. */
  asked(): Promise<number>;
  /** Milliseconds of a registration, and of what its webhook took: each from its request on. */
  register(): Promise<{ transaction: number; webhook: number }>;
};
type Taken = Awaited<ReturnType<Scene["register"]>>;

/** @param args `--short` for fewer rounds */
export default async function strangers(args: string[]): Promise<void> {
  const { rounds, each } = args.includes("--short") ? { rounds: 3, each: 10 } : { rounds: 5, each: 20 };
  const hosts = startChild(join(import.meta.dirname, "strangers/hosts.ts"));
  const { port } = await hosts.hears<{ port: number }>();
  const world = await openWorld({ seed: 1, phase: "free", say: () => {} });
  try {
    const scene = await sceneOf(world, hosts);
    await plant(scene, port);
    const [during, alone]: [Taken[], Taken[]] = [[], []];
    let requests = 0;
    for (let round = 0; round < rounds; round++) {
      const before = await leaveAlone(scene);
      for (let n = 0; n < each; n++) alone.push(await scene.register());
      await setDue(scene, "");
      const busy = setInterval(() => void setDue(scene, "").catch(() => {}), DUE_EVERY_MS);
      try {
        await until("the hosts are read", async () => (await scene.asked()) > before, { timeoutMs: 120_000 });
        for (let n = 0; n < each; n++) during.push(await scene.register());
      } finally {
        clearInterval(busy);
      }
      requests += (await scene.asked()) - before;
    }
    console.log(`${rounds * each} registrations while ${HOSTS} hosts get ${requests} requests, and as many without`);
    for (const what of ["transaction", "webhook"] as const) {
      const [with_, without] = [during, alone].map((all) => median(all.map((one) => one[what]))) as [number, number];
      const ratio = with_ / without;
      const reached = `${with_.toFixed(0)} ms, ${without.toFixed(0)} ms without them: ${ratio.toFixed(2)} ×`;
      console.log(goal(`a ${what} takes at most ${1 + SLOWER} ×`, reached, ratio <= 1 + SLOWER));
    }
  } finally {
    world.ending.abort();
    await world.close();
    await hosts.stop();
  }
}

async function sceneOf(world: Awaited<ReturnType<typeof openWorld>>, hosts: Child): Promise<Scene> {
  const honest = new Honest(world);
  const first = await honest.register("siwa");
  if (!first) throw new Error("the first registration failed");
  await honest.listen(first);
  const { received } = world.receivers;
  return {
    db: world.db,
    asked: async () => (await hosts.asks<{ asked: number }>("asked")).asked,
    async register() {
      const agent = await honest.register("siwa");
      if (!agent) throw new Error("a registration failed");
      const transaction = honest.lines.get("register (siwa)")!.ms.at(-1)!;
      const began = Date.now() - transaction;
      const isIts = ({ tokenId, type }: (typeof received)[number]) =>
        type === "agent.registered" && tokenId === agent.tokenId;
      const hook = await until("its webhook came", () => received.find(isIts), { everyMs: 5 });
      return { transaction, webhook: hook.at - began };
    },
  };
}

/** Names hosts in the directory, and waits until each was read. */
async function plant({ db, asked }: Scene, port: number): Promise<void> {
  for (let n = 0; n < HOSTS; n++) {
    const url = `http://127.0.1.${n + 1}:${port}`;
    const services = [
      { name: "MCP", endpoint: `${url}/mcp` },
      { name: "A2A", endpoint: `${url}/card.json` },
    ];
    await db.query(
      "insert into offchain.directory (platform, agent_id, name, services, cred_score) values ('agentverse', $1, 'Stranger', $2, 50)",
      [`stranger-${n}`, JSON.stringify(services)],
    );
  }
  await until("all of them were asked", async () => (await asked()) >= HOSTS, { timeoutMs: 300_000 });
}

/** Makes all hosts due again and again, or never. */
const setDue = ({ db }: Scene, at: string) =>
  db.query(`update offchain.offer_source set next_try_at = now() ${at} where url like 'http://127.0.1.%'`);

/** Waits until no host is read any more. @returns the requests they have had */
async function leaveAlone(scene: Scene): Promise<number> {
  await setDue(scene, "+ interval '1 day'");
  let before = -1;
  const isQuiet = async () => {
    const now = await scene.asked();
    const quiet = now === before;
    before = now;
    return quiet;
  };
  await until("the hosts are left alone", isQuiet, { everyMs: 6_000, timeoutMs: 120_000 });
  return before;
}
