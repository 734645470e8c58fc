/** Section: the proofs of an agent: its wallet, its accounts on the platforms, and the exchange's attestation of its owner. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { PROOF_PLATFORMS } from "../../../core/proof-platforms.ts";
import { verifications } from "../api/queries.ts";
import type { ExchangeVerified, PendingWrite, WalletVerified } from "../api/types.ts";
import { short } from "../formats.ts";
import { Icon } from "../parts/icon.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { Say, say } from "../say.tsx";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { OperationSteps } from "../wallet/operation.tsx";
import { AccountProof } from "./account-proof.tsx";
import { useAgentOperation } from "./agent-operation.ts";
import { Done, isPending, Pending } from "./outcome.tsx";
import { ProofPart } from "./proof-part.tsx";
import type { SectionProps } from "./section-props.ts";

/** Brings the part that the address names into view, once it is there. */
function useNamedPart(ready: boolean): void {
  useEffect(() => {
    if (!ready) return;
    const show = () => {
      const part = location.hash && document.getElementById(location.hash.slice(1));
      if (!part) return;
      part.scrollIntoView({ block: "start" });
      part.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
    };
    show();
    window.addEventListener("hashchange", show);
    return () => window.removeEventListener("hashchange", show);
  }, [ready]);
}

export default function Proofs({ agent }: SectionProps) {
  const { data: answer, error, refetch } = useQuery({ ...verifications(agent.tokenId), staleTime: 0 });
  useNamedPart(answer !== undefined);
  if (error && !answer) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (!answer) return <Loading rows={8} />;
  return (
    <>
      <WalletProof agent={agent} />
      {PROOF_PLATFORMS.map(({ key, label, letter }) => (
        <AccountProof
          key={key}
          agent={agent}
          platform={{ key, label, letter }}
          expected={answer.data.expected}
          record={answer.data[key]}
        />
      ))}
      <ExchangeProof agent={agent} />
    </>
  );
}

function WalletProof({ agent }: SectionProps) {
  const { tokenId, verified, agentAddress } = agent;
  const op = useAgentOperation<WalletVerified | PendingWrite>("verify", tokenId);
  const run = () => void op.run({ method: "POST", path: `/api/v2/agent/${tokenId}/verify` });
  const proven = verified || (op.state.at === "done" && !isPending(op.state.answer));
  return (
    <ProofPart
      id="verify"
      title={say("prove.wallet")}
      letter="W"
      state={proven ? "proven" : "open"}
      about={say(proven ? "prove.wallet.proven" : "prove.wallet.lead")}
    >
      {(!verified || op.state.at !== "idle") && (
        <NeedsWallet addresses={[agentAddress]} who={say("prove.wallet.who", { address: short(agentAddress) })}>
          {!proven && (
            <p className="actions">
              <button type="button" className="button strong" disabled={op.state.at === "working"} onClick={run}>
                {say("prove.wallet.verify")}
              </button>
            </p>
          )}
          <OperationSteps
            op={op}
            done={(answer) =>
              isPending(answer) ? (
                <Pending answer={answer} again={run} />
              ) : (
                <Done>{say("prove.wallet.done", { block: answer.block })}</Done>
              )
            }
          />
        </NeedsWallet>
      )}
    </ProofPart>
  );
}

/** The exchange's page that attests a wallet on chain. */
const EXCHANGE_PAGE = "https://www.coinbase.com/onchain-verify";

function ExchangeProof({ agent }: SectionProps) {
  const { tokenId, coinbaseVerified, owner, agentAddress } = agent;
  const op = useAgentOperation<ExchangeVerified | PendingWrite>("exchange", tokenId);
  const run = () => void op.run({ method: "POST", path: `/api/v2/agent/${tokenId}/coinbase-verify` });
  const proven = coinbaseVerified || (op.state.at === "done" && !isPending(op.state.answer));
  return (
    <ProofPart
      id="coinbase-verify"
      title={say("prove.exchange")}
      letter="C"
      state={proven ? "proven" : "open"}
      about={say(proven ? "prove.exchange.proven" : "prove.exchange.lead", { owner: short(owner) })}
    >
      <ol className="proof-steps">
        <li>
          <p>{say("prove.exchange.how", { owner: short(owner) })}</p>
          <p className="actions">
            <a className="button" href={EXCHANGE_PAGE} target="_blank" rel="noopener noreferrer">
              <Icon name="out" /> {say("prove.exchange.open")}
            </a>
          </p>
        </li>
        <li>
          <p>{say("prove.exchange.claim")}</p>
          <NeedsWallet addresses={[owner, agentAddress]} who={say("prove.controllers")}>
            <p className="actions">
              <button
                type="button"
                className={proven ? "button" : "button strong"}
                disabled={op.state.at === "working"}
                onClick={run}
              >
                {say("prove.checkNow")}
              </button>
            </p>
          </NeedsWallet>
        </li>
      </ol>
      <OperationSteps
        op={op}
        done={(answer) =>
          isPending(answer) ? (
            <Pending answer={answer} again={run} />
          ) : (
            <Done>
              <Say
                k="prove.exchange.done"
                uid={short(answer.attestationUid)}
                attestation={(text) => (
                  <a
                    href={`https://base.easscan.org/attestation/view/${answer.attestationUid}`}
                    rel="noopener noreferrer"
                  >
                    {text}
                  </a>
                )}
              />
            </Done>
          )
        }
      />
    </ProofPart>
  );
}
