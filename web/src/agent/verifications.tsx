/** Proofs of an agent: platform, account, time of the last check. */
import { useQuery } from "@tanstack/react-query";
import { PROOF_PLATFORMS, type ProofPlatformKey } from "../../../core/proof-platforms.ts";
import { report, verifications } from "../api/queries.ts";
import type { Agent, Verifications as Records } from "../api/types.ts";
import { Icon } from "../parts/icon.tsx";
import { Loading, ProblemNote } from "../parts/states.tsx";
import { age, moment } from "../words.ts";

const STATUS = { verified: "verified", stale: "not checked of late", lapsed: "vanished, counts no more" };

export function Verifications({ agent, explorer }: { agent: Agent; explorer: string }) {
  const { data: answer, error, refetch } = useQuery(verifications(agent.tokenId));
  const { data: reported } = useQuery(report(agent.tokenId));
  if (error && !answer) return <ProblemNote error={error} retry={() => void refetch()} />;
  if (!answer) return <Loading rows={5} />;
  return (
    <ul className="proofs">
      <Proof letter="W" name="Wallet" proven={agent.verified}>
        {agent.verified ? "The agent's own wallet has signed" : "Not signed for"}
      </Proof>
      {PROOF_PLATFORMS.map(({ key, label, letter }) => (
        <Proof
          key={key}
          letter={letter}
          name={label}
          proven={answer.data[key] !== null && answer.data[key].status !== "lapsed"}
        >
          <Account record={answer.data[key]} explorer={explorer} />
        </Proof>
      ))}
      <Proof letter="C" name="Coinbase" proven={agent.coinbaseVerified}>
        {agent.coinbaseVerified
          ? "The exchange attests the current owner's account"
          : "No valid attestation of the current owner"}
      </Proof>
      {reported && (
        <li className="faint small">
          Rank {reported.data.rank} of {reported.data.totalAgents} · Ethos {reported.data.ethosScore ?? "— (not known)"}
        </li>
      )}
    </ul>
  );
}

function Account({ record, explorer }: { record: Records[ProofPlatformKey]; explorer: string }) {
  if (record === null) return <>No proof</>;
  return (
    <>
      <bdi>@{record.handle}</bdi> · {STATUS[record.status]} ·{" "}
      <span title={moment(record.checkedAt)}>looked at {age(record.checkedAt)} ago</span>
      {record.txHash && (
        <>
          {" "}
          ·{" "}
          <a href={`${explorer}/tx/${record.txHash}`} rel="nofollow noopener noreferrer">
            transaction
          </a>
        </>
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
      <b>{name}</b> <span className="unseen">{proven ? "proven:" : "not proven:"}</span>
      <span className="muted hint">{children}</span>
    </span>
  </li>
);
