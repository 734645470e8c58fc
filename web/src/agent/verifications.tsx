/** Proofs of an agent: platform, account, time of the last check. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { OWN_PLATFORM } from "../../../core/directory/platforms.ts";
import { PROOF_PLATFORMS, type ProofPlatformKey } from "../../../core/proof-platforms.ts";
import { report, verifications } from "../api/queries.ts";
import type { Agent, Verifications as Records } from "../api/types.ts";
import { offering } from "../directory/source.ts";
import { age, decimals, moment } from "../formats.ts";
import { Icon } from "../parts/icon.tsx";
import { Reservations } from "../parts/reservations.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { Say, say } from "../say.tsx";

const STATUS = {
  verified: say("agent.proofVerified"),
  stale: say("agent.proofStale"),
  lapsed: say("agent.proofLapsed"),
};

export function Verifications({ agent, explorer }: { agent: Agent; explorer: string }) {
  const { data: answer, error, refetch } = useQuery(verifications(agent.tokenId));
  const { data: reported } = useQuery(report(agent.tokenId));
  if (error && !answer) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (!answer) return <Loading rows={5} />;
  return (
    <ul className="proofs">
      <Proof letter="W" name={say("agent.wallet")} proven={agent.verified}>
        {agent.verified ? say("agent.theAgentSOwnWallet") : say("agent.notSignedFor")}
        <Reservations of={answer.data.reservations} about="wallet" />
      </Proof>
      {PROOF_PLATFORMS.map(({ key, label, letter }) => (
        <Proof
          key={key}
          letter={letter}
          name={label}
          proven={answer.data[key] !== null && answer.data[key].status !== "lapsed"}
        >
          <Account record={answer.data[key]} explorer={explorer} />
          <Reservations of={answer.data.reservations} about={key} />
        </Proof>
      ))}
      <Proof letter="C" name={say("parts.coinbase")} proven={agent.coinbaseVerified}>
        <Attestation agent={agent} />
        <Reservations of={answer.data.reservations} about="coinbase" />
      </Proof>
      {reported && (
        <li className="faint small">
          {say("agent.rankAndEthos", {
            rank: reported.data.rank,
            total: reported.data.totalAgents,
            ethos: reported.data.ethosScore ?? say("agent.ethosUnknown"),
          })}
          {reported.data.neynarScore !== null && (
            <span title={say("agent.neynarIsAnothers")}>
              {" "}
              · {say("agent.neynar", { score: decimals(reported.data.neynarScore, 2) })}
            </span>
          )}
        </li>
      )}
    </ul>
  );
}

/** An attestation that was not claimed for the agent is shown as such: to claim it is the largest single step. */
function Attestation({ agent }: { agent: Agent }) {
  const { data } = useQuery(offering(String(agent.tokenId), OWN_PLATFORM));
  if (agent.coinbaseVerified) return say("agent.theExchangeAttestsTheCurrent");
  if (!data?.data.behind.attested) return say("agent.noValidAttestationOfThe");
  return (
    <Say
      k="agent.unclaimedAttestation"
      form={(text) => <Link href={`/agent/${agent.tokenId}/manage/proofs#coinbase-verify`}>{text}</Link>}
    />
  );
}

function Account({ record, explorer }: { record: Records[ProofPlatformKey]; explorer: string }) {
  if (record === null) return <>{say("agent.noProof")}</>;
  return (
    <>
      <bdi>@{record.handle}</bdi> · {STATUS[record.status]} ·{" "}
      <span title={moment(record.checkedAt)}>{say("agent.lookedAtAgo", { checkedAt: age(record.checkedAt) })}</span>
      {record.txHash && (
        <>
          {" "}
          ·{" "}
          <a href={`${explorer}/tx/${record.txHash}`} rel="nofollow noopener noreferrer">
            {say("agent.transactionLink")}
          </a>
        </>
      )}
      {record.quote !== null && (
        <q className="proof-quote" dir="auto" title={say("agent.proofQuote")}>
          {record.quote}
        </q>
      )}
    </>
  );
}

const Proof = ({
  letter,
  name,
  proven,
  children,
}: {
  letter: string;
  name: string;
  proven: boolean;
  children: React.ReactNode;
}) => (
  <li className="proof" data-proven={proven || undefined}>
    <span className="proof-mark" aria-hidden="true">
      {proven ? <Icon name="check" /> : letter}
    </span>
    <span>
      <b>{name}</b> <span className="unseen">{proven ? say("agent.proven") : say("agent.notProven")}</span>
      <span className="muted hint">{children}</span>
    </span>
  </li>
);
