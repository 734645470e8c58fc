/** Whether the contract has the root of a proof, as the node of the connected wallet answers: without a word of this service. */
import { useState } from "react";
import type { CredProof } from "../api/types.ts";
import { Action } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { ask } from "../wallet/providers.ts";
import { type ConnectedWallet, useWallet } from "../wallet/session.ts";

/** `rootOf(uint64)` of CredRoots (abis/cred-roots.ts). */
const ROOT_OF = "0x9d7384d9";

type RootComparison = "same" | "other" | "other-chain" | "unanswered";

async function rootOnChain(
  { provider }: ConnectedWallet,
  { epoch, contract, root, leaf }: CredProof,
): Promise<RootComparison> {
  if (Number(await ask<string>(provider, "eth_chainId", [])) !== leaf.chainId) return "other-chain";
  const data = ROOT_OF + epoch.toString(16).padStart(64, "0");
  const found = await ask<string>(provider, "eth_call", [{ to: contract, data }, "latest"]);
  return found.toLowerCase() === root.toLowerCase() ? "same" : "other";
}

const SENTENCES: Record<RootComparison, (epoch: number) => string> = {
  same: (epoch) => `The contract has this root for epoch ${epoch}: the node of your wallet answered it.`,
  other: (epoch) =>
    `The contract has another root for epoch ${epoch} than this service states. Do not trust this proof.`,
  "other-chain": (epoch) => `Your wallet is on another chain: it cannot say whether epoch ${epoch} has this root.`,
  unanswered: (epoch) => `The node of your wallet did not answer for epoch ${epoch}.`,
};

/** Nothing without a connected wallet. */
export function ChainRoot({ proof }: { proof: CredProof }) {
  const wallet = useWallet();
  const [found, setFound] = useState<RootComparison | null>(null);
  if (!wallet) return null;
  const check = () => rootOnChain(wallet, proof).then(setFound, () => setFound("unanswered"));
  return (
    <div className="stack">
      <Action onClick={() => void check()}>
        <Icon name="check" /> Ask the contract with {wallet.name}
      </Action>
      {found && (
        <p className={found === "same" ? undefined : "note"} role={found === "other" ? "alert" : "status"}>
          {SENTENCES[found](proof.epoch)}
        </p>
      )}
    </div>
  );
}
