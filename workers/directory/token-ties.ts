/** Looks for what ties a linked token to the wallet that linked it: only such a token counts in the directory's sorts and filters. */
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem/utils";
import type { Chain } from "../../clients/ports.ts";
import type { Address } from "../../core/agents/facts.ts";
import { isDeployedBy, type TokenTie } from "../../core/directory/token.ts";
import { READ_GAS } from "../../core/transactions/gas-bounds.ts";
import { linksDue, postponeLink, settleLink, type TokenLink } from "../../db/directory/token-links.ts";
import { defineJob } from "../job.ts";

/** Max links of one run; the next run does the rest. */
const LINKS_PER_RUN = 100;
/** Milliseconds until a link is checked again: its owner may change. */
const AGAIN_MS = 86_400_000;
/** After this time, where the node did not answer. */
const RETRY_MS = 600_000;

/**
 * Check then write: the chain's answer about a link, then tie and counted figures (`settleLink`); another link or a sale
 * may come: the update names token and wallet, and the row compares the wallet with owner and agent's wallet at every
 * write.
 * Resumes: at the link that is due longest, 100 a run; one that the chain gives no answer about is put off by ten
 * minutes, and the run continues with the others.
 */
export const tokenTies = defineJob({
  name: "token-ties",
  readsUntrusted: true,
  schedule: { everyMs: 15_000 },
  async run({ db, chain, clock }) {
    const failures: unknown[] = [];
    let changed = 0;
    for (const link of await linksDue(db, { now: clock(), limit: LINKS_PER_RUN })) {
      const after = (ms: number) => new Date(clock().getTime() + ms);
      try {
        const tie = await tieOf(chain, link);
        // Who deployed a contract never changes.
        changed += await settleLink(db, link, { tie, dueAt: tie === "deployer" ? null : after(AGAIN_MS) });
      } catch (error) {
        failures.push(error);
        await postponeLink(db, { ...link, dueAt: after(RETRY_MS) });
      }
    }
    if (failures.length > 0) throw failures[0];
    return changed;
  },
});

/** @throws Failure upstream_unavailable */
async function tieOf(chain: Pick<Chain, "call" | "nonce">, { token, wallet }: TokenLink): Promise<TokenTie | null> {
  if (isDeployedBy(wallet, await chain.nonce(wallet, "latest"), token)) return "deployer";
  return (await ownerOf(chain, token)) === wallet ? "owner" : null;
}

const ownable = parseAbi(["function owner() view returns (address)"]);

/** The address that a contract calls its owner; null for one that has none. */
async function ownerOf(chain: Pick<Chain, "call">, token: Address): Promise<string | null> {
  const data = encodeFunctionData({ abi: ownable, functionName: "owner" });
  const answer = await chain.call({ to: token, data, gas: READ_GAS });
  // One word: a contract may answer anything, of any length.
  if (!answer.ok || answer.data.length !== 66) return null;
  try {
    return decodeFunctionResult({ abi: ownable, functionName: "owner", data: answer.data }).toLowerCase();
  } catch {
    return null;
  }
}
