/** The agent's score in the latest epoch on chain: where its root is, and a check of the proof in the browser. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { CredLeaf } from "../../../core/cred/tree/leaf.ts";
import { Problem } from "../api/answer.ts";
import { credProof } from "../api/queries.ts";
import type { Agent, CredProof } from "../api/types.ts";
import { age, count, moment, short } from "../formats.ts";
import { Address, EXPLORER_REL } from "../parts/address.tsx";
import { Icon } from "../parts/icon.tsx";
import { Panel } from "../parts/panel.tsx";
import { Say, say } from "../say.tsx";
import { ChainRoot } from "./chain-root.tsx";

/** Nothing where no scores are published. */
export function Onchain({ agent, explorer }: { agent: Agent; explorer: string }) {
  const { data: answer, error } = useQuery(credProof(agent.tokenId));
  if (answer)
    return (
      <Panel title={say("agent.checkableOnChain")}>
        <Proved proof={answer.data} agent={agent} explorer={explorer} />
      </Panel>
    );
  if (error instanceof Problem && error.code === "not_in_epoch")
    return (
      <Panel title={say("agent.checkableOnChain")}>
        <p className="muted">{say("agent.fromTheNextEpochOn")}</p>
      </Panel>
    );
  return null;
}

type Props = { proof: CredProof; agent: Agent; explorer: string };

function Proved({ proof, agent, explorer }: Props) {
  const { epoch, leaf, publishedAt, transaction, contract, root, leaves } = proof;
  return (
    <div className="stack onchain">
      <dl className="facts tall">
        <div>
          <dt>{say("agent.epoch")}</dt>
          <dd>
            {count(epoch)}{" "}
            <span className="faint" title={moment(publishedAt)}>
              {say("agent.agoAgents", { publishedAt: age(publishedAt), leaves: count(leaves) })}
            </span>
          </dd>
        </div>
        <div>
          <dt>{say("agent.scoreThere")}</dt>
          <dd>
            <b>{leaf.score}</b>{" "}
            <span className="faint">
              {leaf.score === agent.credScore
                ? say("agent.asItIsNow")
                : say("agent.nowInNextEpoch", { score: agent.credScore })}
            </span>
          </dd>
        </div>
        <div>
          <dt>{say("agent.transaction")}</dt>
          <dd>
            <a className="mono" href={`${explorer}/tx/${transaction}`} rel={EXPLORER_REL}>
              {short(transaction)}
            </a>
          </dd>
        </div>
        <div>
          <dt>{say("agent.contract")}</dt>
          <dd>
            <Address address={contract} explorer={explorer} />
          </dd>
        </div>
        <div>
          <dt>{say("agent.root")}</dt>
          <dd>
            <code className="mono" title={root}>
              {short(root)}
            </code>
          </dd>
        </div>
      </dl>
      <Check key={`${epoch}${leaf.score}`} proof={proof} explorer={explorer} />
    </div>
  );
}

/** The code that hashes is loaded with the first check. */
async function rootInBrowser({ leaf, proof }: CredProof): Promise<string> {
  const { rootOfProof } = await import("../../../core/cred/tree/verify-cred-proof.ts");
  return rootOfProof({ ...leaf, registry: leaf.registry.toLowerCase() } as CredLeaf, proof);
}

function Check({ proof, explorer }: Omit<Props, "agent">) {
  const [computed, setComputed] = useState<string | null>(null);
  const [failed, setFailed] = useState(false);
  const check = () => rootInBrowser(proof).then(setComputed, () => setFailed(true));
  if (failed)
    return (
      <p className="note" role="status">
        {say("agent.theCheckCouldNotRun")}
      </p>
    );
  if (computed === null)
    return (
      <p className="actions">
        <button type="button" className="button" onClick={() => void check()}>
          <Icon name="check" /> {say("agent.checkProofHere")}
        </button>
        <a className="button" href={`/api/v2/agent/${proof.leaf.tokenId}/cred/proof?epoch=${proof.epoch}`}>
          {say("agent.proofAsJson")}
        </a>
      </p>
    );
  return computed === proof.root ? (
    <div className="stack" role="status">
      <p>
        <Say k="agent.proofSound" n={proof.proof.length} score={proof.leaf.score} verdict={(text) => <b>{text}</b>} />
      </p>
      <pre className="code wrap">{computed}</pre>
      <p className="muted">
        <Say
          k="agent.rootFromService"
          epoch={String(proof.epoch)}
          code={(text) => <code>{text}</code>}
          contract={(text) => (
            <a href={`${explorer}/address/${proof.contract}#readContract`} rel={EXPLORER_REL}>
              {text}
            </a>
          )}
        />
      </p>
      <ChainRoot proof={proof} />
    </div>
  ) : (
    <p className="note" role="alert">
      <Say
        k="agent.proofWrong"
        computed={short(computed)}
        stated={short(proof.root)}
        verdict={(text) => <b>{text}</b>}
      />
    </p>
  );
}
