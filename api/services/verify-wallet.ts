/** Wallet verification: records that an agent's own wallet signed in, and calls the contract once. */
import { encodeFunctionData } from "viem/utils";
import { identityAbi } from "../../abis/identity.ts";
import type { Address, Hex } from "../../core/agents/facts.ts";
import { kindGasBound } from "../../core/transactions/gas-bounds.ts";
import { verificationTransaction } from "../../db/agents/attestations.ts";
import { recordProofOwnership } from "../../db/agents/proof-ownership.ts";
import { recordWalletVerification } from "../../db/agents/wallets.ts";
import { insertChainWrite } from "../../db/transactions/chain-writes.ts";
import { queueRepeatable } from "../../db/transactions/transaction-outbox.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { authorizeAgentWallet, controls } from "./agent-control.ts";
import { freeWriterOf, requireGas } from "./free-gas.ts";
import { writeAgent } from "./writing.ts";

/**
 * @returns the transaction that verified it, or the intent that will
 * @throws Failure not_found, forbidden, out_of_funds, rate_limited
 */
export async function verifyWallet(
  deps: HandlerDeps,
  { tokenId, wallet, now }: { tokenId: number; wallet: Address; now: number },
): Promise<{ txHash: Hex; block: number } | { intentKey: string }> {
  const authorize = await authorizeAgentWallet(deps, tokenId, wallet);
  return writeAgent<{ txHash: Hex; block: number } | { intentKey: string }>(
    deps,
    { tokenId, now },
    authorize,
    async (write) => {
      const { tx, facts, now: at } = write;
      await recordWalletVerification(tx, { tokenId, wallet, mintTx: facts.mintTx, at });
      const { owner, ownership } = facts;
      const { transfers } = ownership;
      await recordProofOwnership(tx, { tokenId, proof: "wallet", subject: wallet, owner, transfers, at });
      const done = facts.verified ? await verificationTransaction(tx, { tokenId }) : null;
      if (done) return { result: done, scored: false };
      const key = `verify:${tokenId}`;
      const writer = await freeWriterOf(write, wallet);
      const { intentKey, queued } = await queueRepeatable(tx, {
        intentKey: key,
        free: writer && { ...writer, gasBound: kindGasBound(key) },
        to: deps.config.contracts.identity.address,
        data: encodeFunctionData({ abi: identityAbi, functionName: "verify", args: [BigInt(tokenId)] }),
      });
      if (queued) {
        await requireGas(tx, writer);
        const behalf = controls(facts, wallet) ? wallet : facts.owner;
        await insertChainWrite(tx, { tokenId, slot: "verified", intentKey, wallet: behalf, at });
      }
      return { result: { intentKey }, scored: false };
    },
  );
}
