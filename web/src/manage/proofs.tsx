/** Section: the proofs of an agent: its wallet, its accounts on the platforms, and the exchange's attestation of its owner. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { PROOF_MARKS_LISTED } from "../../../core/proof-platforms/marks.ts";
import { verifications } from "../api/queries.ts";
import type { ExchangeVerified, PendingWrite, WalletVerified } from "../api/types.ts";
import { count, short } from "../formats.ts";
import { Action } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { NotYet } from "../parts/states.tsx";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { OperationSteps } from "../wallet/operation.tsx";
import { AccountProof } from "./account-proof.tsx";
import { useAgentOperation } from "./agent-operation.ts";
import { Done, isPending, Pending } from "./outcome.tsx";
import { CONTROLLERS, ProofPart } from "./proof-part.tsx";
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
  if (!answer) return <NotYet error={error} refetch={refetch} rows={8} />;
  return (
    <>
      <WalletProof agent={agent} />
      {PROOF_MARKS_LISTED.map(({ key, label, letter }) => (
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
      title="The agent's wallet"
      letter="W"
      state={proven ? "proven" : "open"}
      about={
        proven
          ? "The agent's own wallet has signed in."
          : "The agent's own wallet signs in once. The service writes the mark on chain and pays for it."
      }
    >
      {(!verified || op.state.at !== "idle") && (
        <NeedsWallet addresses={[agentAddress]} who={`the agent's own wallet ${short(agentAddress)}`}>
          {!proven && (
            <Action strong disabled={op.state.at === "working"} onClick={run}>
              Verify the wallet
            </Action>
          )}
          <OperationSteps
            op={op}
            done={(answer) =>
              isPending(answer) ? (
                <Pending answer={answer} again={run} />
              ) : (
                <Done>The wallet is verified on chain, in block {count(answer.block)}.</Done>
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
      title="Coinbase attestation"
      letter="C"
      state={proven ? "proven" : "open"}
      about={
        proven
          ? `The exchange attests the account of the owner ${short(owner)}.`
          : `No valid attestation of the owner ${short(owner)} is claimed.`
      }
    >
      <ol className="proof-steps">
        <li>
          <p>
            The owner {short(owner)} connects that wallet on the exchange's page and has it attested on Base (EAS). An
            account there is needed.
          </p>
          <p className="actions">
            <a className="button" href={EXCHANGE_PAGE} target="_blank" rel="noopener noreferrer">
              <Icon name="out" /> Verify on Coinbase
            </a>
          </p>
        </li>
        <li>
          <p>Then claim the attestation for this agent.</p>
          <NeedsWallet addresses={[owner, agentAddress]} who={CONTROLLERS}>
            <Action strong={!proven} disabled={op.state.at === "working"} onClick={run}>
              Check now
            </Action>
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
              The{" "}
              <a href={`https://base.easscan.org/attestation/view/${answer.attestationUid}`} rel="noopener noreferrer">
                attestation {short(answer.attestationUid)}
              </a>{" "}
              counts for this agent.
            </Done>
          )
        }
      />
    </ProofPart>
  );
}
