/** Attacks on what income says: another's is pushed out or stays unread, one's own money passes for it. */
import type { Hex } from "viem";
import { approving, done, goingRound, inOneTransaction, registered, settling } from "../../contract-calls.ts";
import { loadWalletOf } from "../../payment-load/wallets.ts";
import { signAuthorization } from "../../payment-signing.ts";
import { type Attack, attacksOf, type Scene } from "../attack.ts";

/** Each above what rules call dust, together more than an agent's list of payments once held. */
const SMALL = { payments: 10_000, units: 1_000n };
/** Of which each fits into less than half a block, so that nobody's gas gets dearer. */
const AT_ONCE = { small: 200, round: 60 };

const partsOf = (length: number, most: number): number[] =>
  Array.from({ length: Math.ceil(length / most) }, (_, i) => Math.min(most, length - i * most));

/** An agent's own money goes round by each of some payers, that many times. */
async function payOneself({ world }: Scene, by: { payers: number; rounds: number; units: bigint }): Promise<void> {
  const { payers, rounds, units } = by;
  const owner = await world.wallet(world.fresh("owner of money that goes round"), units);
  const agentId = await registered(world, owner, { name: world.fresh("Loop") });
  await done(world, owner, approving(units * BigInt(payers * rounds)));
  const name = world.fresh("payer");
  const all = Array.from({ length: payers }, (_, i) => loadWalletOf(world.seed, `${name} ${i}`, world.host));
  const turns = Array(rounds).fill(all).flat() as typeof all;
  for (const part of partsOf(turns.length, AT_ONCE.round)) {
    const calls = [];
    for (const { account } of turns.splice(0, part))
      calls.push(...goingRound(owner.address, await signAuthorization(account, { to: owner.address, value: units })));
    await done(world, owner, inOneTransaction(calls));
  }
  world.loops.push(agentId);
}

export const INCOME: readonly Attack[] = [
  ...attacksOf(31, "free", {
    async "ten thousand payments of a tenth of a cent to an agent that lives of its customers"(scene) {
      const { world, business, tell } = scene;
      const { owner } = business;
      const stranger = await world.wallet(world.fresh("small payer"), SMALL.units * BigInt(SMALL.payments));
      const hashes: Hex[] = [];
      for (const part of partsOf(SMALL.payments, AT_ONCE.small)) {
        const calls = [];
        for (let i = 0; i < part; i++)
          calls.push(settling(await signAuthorization(stranger.account, { to: owner.address, value: SMALL.units })));
        hashes.push(await world.push(stranger, inOneTransaction(calls)));
      }
      const receipts = await Promise.all(hashes.map(world.mined));
      if (receipts.some(({ status }) => status !== "success")) throw new Error("small payments were reverted");
      tell.harmless(SMALL.payments);
    },
  }),
  ...attacksOf(31, "both", {
    async "hundreds of payers of large sums that go round, before another agent's customers are followed"(scene) {
      await payOneself(scene, { payers: 600, rounds: 1, units: 1_000_000_000n });
      await scene.business.sell();
      scene.tell.harmless(600);
    },
  }),
  ...attacksOf(32, "both", {
    async "an agent's own money goes round through a public contract, in one transaction"(scene) {
      await payOneself(scene, { payers: 3, rounds: 6, units: 2_000_000n });
      scene.tell.harmless(18);
    },
  }),
];
