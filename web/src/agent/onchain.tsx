/** The agent's score in the latest epoch on chain: where its root is, and a check of the proof in the browser. */
import { useQuery } from "@tanstack/react-query";
import { use, useState } from "react";
import type { CredLeaf } from "../../../core/cred/tree/leaf.ts";
import { Problem } from "../api/answer.ts";
import { credProof } from "../api/queries.ts";
import type { Agent, CredProof } from "../api/types.ts";
import { age, count, counted, moment, short } from "../formats.ts";
import { Action, Button, Icon, useAttempt } from "../parts/button.tsx";
import { Address, EXPLORER_REL, Explorer, Transaction } from "../parts/copy.tsx";
import { Facts } from "../parts/panel.tsx";
import { codeFor, ErrorText, NotYet } from "../parts/states.tsx";
import { ask, type ConnectedWallet, useWallet } from "../wallet/session.ts";
import { AgentPanel } from "./agent-panel.tsx";

/** Nothing where no scores are published. */
export function Onchain({ agent }: { agent: Agent }) {
  const { data: answer, error, refetch } = useQuery(credProof(agent.tokenId));
  const code = error instanceof Problem ? error.code : null;
  if (!answer && (!error || code === "no_epoch")) return null;
  return (
    <AgentPanel id="onchain" title="Checkable on chain" brief="its score in the latest epoch">
      {answer ? (
        <Proved proof={answer.data} agent={agent} />
      ) : code !== "not_in_epoch" ? (
        <NotYet error={error} refetch={refetch} rows={2} />
      ) : (
        <p className="muted">From the next epoch on: this agent has been scored since the latest one.</p>
      )}
    </AgentPanel>
  );
}

type Props = { proof: CredProof; agent: Agent };

function Proved({ proof, agent }: Props) {
  const { epoch, leaf, publishedAt, transaction, contract, root, leaves } = proof;
  return (
    <div className="stack onchain">
      <Facts
        of={[
          [
            "Epoch",
            <>
              {count(epoch)}{" "}
              <span className="faint" title={moment(publishedAt)}>
                · {age(publishedAt)} ago · {count(leaves)} agents
              </span>
            </>,
          ],
          [
            "Score there",
            <>
              <b>{leaf.score}</b>{" "}
              <span className="faint">
                · {leaf.score === agent.credScore ? "as it is now" : `${count(agent.credScore)} now: in the next epoch`}
              </span>
            </>,
          ],
          ["Transaction", <Transaction hash={transaction} />],
          ["Contract", <Address address={contract} />],
          ["Root", short(root), { className: "mono", title: root }],
        ]}
      />
      <Check key={`${epoch}${leaf.score}`} proof={proof} />
    </div>
  );
}

/** The code that hashes is loaded with the first check. */
async function rootInBrowser({ leaf, proof }: CredProof): Promise<string> {
  const { rootOfProof } = await codeFor(import("../../../core/cred/tree/verify-cred-proof.ts"));
  return rootOfProof({ ...leaf, registry: leaf.registry.toLowerCase() } as CredLeaf, proof);
}

function Check({ proof }: Omit<Props, "agent">) {
  const [computed, setComputed] = useState<string | null>(null);
  const { error, busy, run } = useAttempt();
  const explorer = use(Explorer);
  if (computed === null)
    return (
      <>
        <p className="actions">
          <Button disabled={busy} onClick={() => run(() => rootInBrowser(proof).then(setComputed))}>
            <Icon name="check" /> Check the proof here
          </Button>
          <a className="button" href={`/api/v2/agent/${proof.leaf.tokenId}/cred/proof?epoch=${proof.epoch}`}>
            Proof as JSON
          </a>
        </p>
        <ErrorText words={error?.message} />
      </>
    );
  return computed === proof.root ? (
    <div className="stack" role="status">
      <p>
        <b>The proof is sound.</b> Your browser hashed the leaf (score {count(proof.leaf.score)}) with{" "}
        {counted(proof.proof.length, "sibling", "siblings")} and found this root:
      </p>
      <pre className="code wrap">{computed}</pre>
      <p className="muted">
        This page has the root from the service. That the contract has it too is for the chain to say: compare it with{" "}
        <code>rootOf({proof.epoch})</code> of{" "}
        <a href={`${explorer}/address/${proof.contract}#readContract`} rel={EXPLORER_REL}>
          the contract
        </a>
        .
      </p>
      <ChainRoot proof={proof} />
    </div>
  ) : (
    <p className="note" role="alert">
      <b>The proof is wrong:</b> its leaf leads to {short(computed)}, and the service states {short(proof.root)}.
    </p>
  );
}

/** `rootOf(uint64)` of CredRoots (abis/cred-roots.ts). */
const ROOT_OF = "0x9d7384d9";

type RootComparison = "same" | "other" | "other-chain" | "unanswered";

async function rootOnChain(
  { provider }: ConnectedWallet,
  { epoch, contract, root, leaf }: CredProof,
): Promise<RootComparison> {
  if (Number(await ask<string>(provider, "eth_chainId", [])) !== leaf.chainId) return "other-chain";
  const data = ROOT_OF + epoch.toString(16).padStart(64, "0");
  const result = await ask<string>(provider, "eth_call", [{ to: contract, data }, "latest"]);
  return result.toLowerCase() === root.toLowerCase() ? "same" : "other";
}

const SENTENCES: Record<RootComparison, (epoch: number) => string> = {
  same: (epoch) => `The contract has this root for epoch ${epoch}: the node of your wallet answered it.`,
  other: (epoch) =>
    `The contract has another root for epoch ${epoch} than this service states. Do not trust this proof.`,
  "other-chain": (epoch) => `Your wallet is on another chain: it cannot say whether epoch ${epoch} has this root.`,
  unanswered: (epoch) => `The node of your wallet did not answer for epoch ${epoch}.`,
};

/** Nothing without a connected wallet. */
function ChainRoot({ proof }: { proof: CredProof }) {
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
