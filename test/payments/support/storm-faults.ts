/** What goes wrong while people pay: processes killed and started again, blocks taken back, a node and a facilitator in trouble. */
import type { BlockClock } from "../../../devnet/block-clock.ts";
import type { TroubledFacilitator } from "../../../harness/payment-load/facilitator.ts";
import type { Trouble } from "../../../harness/payment-load/plan.ts";
import type { TroubledNode } from "../../../harness/troubled-node.ts";
import type { PartName, Parts } from "../../support/parts.ts";

export type LoadFaults = {
  /** Lets it happen; resolves once it is over. */
  inject(trouble: Trouble): Promise<void>;
  /** Ends all trouble: everything runs, nothing is armed. */
  stop(): Promise<void>;
  /** How often each thing happened. */
  counts: Record<string, number>;
};

type Fragile = Extract<PartName, "api" | "api-2" | "workers">;
const FRAGILE: readonly Fragile[] = ["api", "api-2", "workers"];

/** Starts the parts that will be killed, and keeps them alive until the faults stop. */
export async function startFaults(options: {
  parts: Parts;
  nodes: { base: TroubledNode; tempo: TroubledNode };
  facilitator: TroubledFacilitator;
  clock: BlockClock;
}): Promise<LoadFaults> {
  const { parts, nodes, facilitator, clock } = options;
  const env = { RPC_URL: nodes.base.url, TEMPO_RPC_URL: nodes.tempo.url, FACILITATOR_URL: facilitator.url };
  const counts: Record<string, number> = {};
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const armed = new Map<Fragile, string>();
  const starting = new Map<Fragile, Promise<void>>();
  let stopping = false;

  /** Starts a part; when it dies, by our hand or at its fault point, it is started again. */
  function start(part: Fragile): Promise<void> {
    const point = armed.get(part);
    armed.delete(part);
    const started = parts.start(part, { ...env, ...(point && { FAULT_POINT: point }) });
    starting.set(part, started);
    void parts.died(part).then(() => {
      if (stopping) return;
      count(point ? `died at ${point} or killed` : "killed");
      void start(part).catch(() => {});
    });
    return started;
  }
  await Promise.all(FRAGILE.map(start));

  return {
    counts,
    async inject(trouble) {
      if (trouble.kind === "kill") {
        await starting.get(trouble.part)?.catch(() => {});
        if (trouble.next) armed.set(trouble.part, trouble.next);
        parts.kill(trouble.part);
        return;
      }
      if (trouble.kind === "reorg") {
        count(`reorganised by ${trouble.depth}`);
        await clock.reorganise(trouble.depth);
        return;
      }
      const victim: { mode: unknown } = trouble.kind === "node" ? nodes[trouble.of] : facilitator;
      count(`${trouble.kind === "node" ? `${trouble.of}'s node` : trouble.kind} ${trouble.mode}`);
      victim.mode = trouble.mode;
      await new Promise((done) => setTimeout(done, trouble.ms));
      victim.mode = null;
    },
    async stop() {
      stopping = true;
      for (const each of [nodes.base, nodes.tempo, facilitator]) each.mode = null;
      armed.clear();
      await Promise.all([...starting.values()].map((started) => started.catch(() => {})));
      // What is armed still would die of it later on.
      for (const part of FRAGILE) await parts.start(part, env);
    },
  };
}
