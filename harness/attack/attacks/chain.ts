/** Attacks by contracts and by blocks: to stop what the service sends, or to have it pay for others. */
import { encodeFunctionData, type Hex, parseAbi } from "viem";
import { tokensOf } from "../../../devnet/seed-chain.ts";
import { giveUsdc } from "../../give-usdc.ts";
import { between, pick } from "../../random.ts";
import { solanaWallet } from "../../solana-wallet.ts";
import { until } from "../../until.ts";
import { type Attack, attacksOf, count, type Scene } from "../attack.ts";
import type { Reply } from "../client.ts";
import { type Burns, MINT_UNITS } from "../world.ts";
import { paidBy, signed } from "./money.ts";

const ALL = 2n ** 200n;
const TWO_THIRDS = 20_000_000n;
/** Fits into a block, and does not with a third more, which an estimate is often given. */
const JUST_A_BLOCK = 24_000_000n;
/** More than a mint may take, less than a block has. */
const MUCH = 3_000_000n;
const HOSTILE_ABI = parseAbi(["function burn(uint256 amount) view"]);

const BURNS: readonly Burns[] = [
  { receiveGas: JUST_A_BLOCK },
  { receiveGas: ALL },
  { receiveGas: TWO_THIRDS },
  { receiveGas: MUCH },
  { receiveGas: ALL, onlyWhenSent: true },
  { receiveGas: TWO_THIRDS, onlyWhenSent: true },
];

/** Registers a fresh Solana key, free of charge. @param evmAddress receiver of the identity */
export async function registerSolana({ client }: Pick<Scene, "client">, evmAddress: Hex): Promise<Reply> {
  const key = await solanaWallet();
  const one = client();
  const challenge = await one.get(`/api/v2/auth/solana/challenge?address=${key.address}&evmAddress=${evmAddress}`);
  if (challenge.status !== 200) return challenge;
  const { message, nonce } = challenge.body;
  return one.post("/api/v2/register/solana", {
    body: {
      name: "Solana thief",
      framework: "custom",
      solanaAddress: key.address,
      evmAddress,
      nonce,
      signature: await key.signText(message),
    },
  });
}

/** A hostile receiver that was taken is no success by itself: whether others were stopped is seen with the honest. */
export const CHAIN: readonly Attack[] = [
  ...attacksOf(5, "free", {
    async "a registration whose records a restore has put back to before it was sent"({ world, tell }) {
      const wallet = await world.wallet(world.fresh("restored"));
      // On a network of its own: the victim of this play is honest.
      const client = world.client("10.9.2.1");
      const body = { name: "Restored", framework: "custom" };
      const made = await client.post("/api/v2/mint", { wallet, body });
      if (made.status !== 201) return count(tell, [made]);
      const who = wallet.address.toLowerCase();
      const { db } = world;
      const { rows } = await db.query(
        "select mint_id, token_id, tx_hash, block, completed_at from offchain.mint where wallet = $1",
        [who],
      );
      const [before] = rows;
      const key = `mint:${before.mint_id}`;
      await world.shows(`/api/v2/stats?minBlock=${made.body.block}`);
      await db.query(
        "delete from offchain.transaction_attempt where intent_id = (select id from offchain.transaction_outbox where intent_key = $1)",
        [key],
      );
      await db.query(
        "update offchain.mint set state = 'pending', token_id = null, tx_hash = null, block = null, completed_at = null where mint_id = $1",
        [before.mint_id],
      );
      await db.query(
        `update offchain.transaction_outbox set state = 'queued', sender = null, nonce = null, gas_limit = null, tx_hash = null, block = null,
       block_hash = null, logs = null, signed_at = null, mined_at = null where intent_key = $1`,
        [key],
      );
      await until("the restored registration is decided", async () => {
        const { rows } = await db.query(
          "select 1 from offchain.transaction_outbox where intent_key = $1 and state in ('queued', 'signed')",
          [key],
        );
        return rows.length === 0;
      });
      const tokens = await tokensOf(world.chain, world.identity, wallet.address);
      if (tokens.length > 1) tell.succeeded(`the wallet has the tokens ${tokens.join(", ")}`);
      else tell.refused();
      // What the restore had taken back is there again, for the books.
      await db.query(
        "update offchain.mint set state = 'minted', token_id = $2, tx_hash = $3, block = $4, completed_at = $5, error = null where mint_id = $1",
        [before.mint_id, before.token_id, before.tx_hash, before.block, before.completed_at],
      );
    },
  }),
  ...attacksOf(2, "both", {
    async "contract wallets register whose receiving burns all gas, or two thirds of a block"(scene) {
      const { world, random, tell, client } = scene;
      for (let i = between(random, 2, 5); i > 0; i--) {
        const wallet = await world.contractWallet(world.fresh("burner"), pick(random, BURNS));
        const headers: Record<string, string> = {};
        if (world.phase === "paid") {
          await giveUsdc(world.chain, wallet.address, MINT_UNITS);
          Object.assign(headers, paidBy(await signed(wallet.account, world.payees.deployer, MINT_UNITS)));
        }
        const body = { name: "Burner", framework: "custom" };
        count(tell, [await client().post("/api/v2/mint", { wallet, body, headers })]);
      }
    },
  }),
  ...attacksOf(2, "paid", {
    async "a contract wallet pays whose signature burns the facilitator's gas"(scene) {
      const { world, random, tell, client } = scene;
      const burns = pick<Burns>(random, [
        { signGas: ALL, onlyWhenSent: true },
        { signGas: TWO_THIRDS, onlyWhenSent: true },
        { signGas: MUCH },
        { signGas: TWO_THIRDS },
      ]);
      const payer = await world.contractWallet(world.fresh("burning payer"), burns);
      await giveUsdc(world.chain, payer.address, MINT_UNITS);
      const headers = paidBy(await signed(payer.account, world.payees.deployer, MINT_UNITS));
      const taker = await world.wallet(world.fresh("taker of a burning payer"));
      const body = { name: "Burning", framework: "custom" };
      count(tell, [await client().post("/api/v2/mint", { wallet: taker, body, headers })]);
    },
  }),
  ...attacksOf(2, "free", {
    async "Solana keys register for a receiver that burns gas"(scene) {
      const { world, random, tell } = scene;
      const receiver = await world.contractWallet(world.fresh("solana burner"), pick(random, BURNS));
      count(tell, [await registerSolana(scene, receiver.address)]);
    },
  }),
  ...attacksOf(3, "both", {
    async "blocks filled by others at a high tip, so that a waiting transaction is offered more and more"(scene) {
      const { world, random, tell } = scene;
      const filler = await world.contractWallet(world.fresh("filler"), {});
      const data = encodeFunctionData({ abi: HOSTILE_ABI, functionName: "burn", args: [28_500_000n] });
      const blocks = between(random, 2, 5);
      for (let i = 0; i < blocks; i++)
        await world.push(filler.owner, { to: filler.address, data, gas: 29_000_000n, tipGwei: 40n });
      tell.harmless(blocks);
    },
  }),
];
