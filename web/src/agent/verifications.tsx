/** Proofs of an agent: platform, account, time of the last check. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { OWN_PLATFORM } from "../../../core/directory/platforms.ts";
import { PROOF_BADGE_LIST, type ProofPlatformKey } from "../../../core/proof-platforms/badges.ts";
import type { Caveat } from "../../../core/views/fields.ts";
import { report, verifications } from "../api/queries.ts";
import type { Agent, Verifications as Records } from "../api/types.ts";
import { offering } from "../directory/source.ts";
import { age, count, decimals, moment } from "../formats.ts";
import { Icon } from "../parts/button.tsx";
import { TxLink } from "../parts/copy.tsx";
import { NotYet } from "../parts/states.tsx";

const STATUS = {
  verified: "verified",
  stale: "not checked of late",
  lapsed: "vanished, counts no more",
};

export function Verifications({ agent }: { agent: Agent }) {
  const { data: answer, error, refetch } = useQuery(verifications(agent.tokenId));
  const { data: reported } = useQuery(report(agent.tokenId));
  if (!answer) return <NotYet error={error} refetch={refetch} rows={5} />;
  return (
    <ul className="proofs">
      <Proof letter="W" name="Wallet" proven={agent.verified}>
        {agent.verified ? "The agent's own wallet has signed" : "Its wallet has not signed yet"}
        <Caveats of={answer.data.reservations} about="wallet" />
      </Proof>
      {PROOF_BADGE_LIST.map(({ key, label, letter }) => (
        <Proof
          key={key}
          letter={letter}
          name={label}
          proven={answer.data[key] !== null && answer.data[key].status !== "lapsed"}
        >
          <Account record={answer.data[key]} />
          <Caveats of={answer.data.reservations} about={key} />
        </Proof>
      ))}
      <Proof letter="C" name="Coinbase" proven={agent.coinbaseVerified}>
        <Attestation agent={agent} />
        <Caveats of={answer.data.reservations} about="coinbase" />
      </Proof>
      {reported && (
        <li className="faint small">
          Rank {count(reported.data.rank)} of {count(reported.data.totalAgents)} · Ethos{" "}
          {reported.data.ethosScore === null ? "— (not known)" : count(reported.data.ethosScore)}
          {reported.data.neynarScore !== null && (
            <span title="Of its wallet, 0 to 1: another's opinion, no part of the cred score">
              {" "}
              · Neynar {decimals(reported.data.neynarScore, 2)}
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
  if (agent.coinbaseVerified) return "The exchange attests the current owner's account";
  if (!data?.data.behind.attested) return "No valid attestation of the current owner";
  return (
    <>
      The exchange attests the owner's wallet, and nobody has claimed that for this agent yet:{" "}
      <Link href={`/agent/${agent.tokenId}/manage/proofs#coinbase-verify`}>claim it, +15</Link>
    </>
  );
}

function Account({ record }: { record: Records[ProofPlatformKey] }) {
  if (record === null) return <>No proof</>;
  return (
    <>
      <bdi>@{record.handle}</bdi> · {STATUS[record.status]} ·{" "}
      <span title={moment(record.checkedAt)}>checked {age(record.checkedAt)} ago</span>
      {record.txHash && (
        <>
          {" "}
          · <TxLink hash={record.txHash}>transaction</TxLink>
        </>
      )}
      {record.quote !== null && (
        <q className="proof-quote" dir="auto" title="The account's own words around the proof">
          {record.quote}
        </q>
      )}
    </>
  );
}

type ProofProps = { letter: string; name: string; proven: boolean; children: ReactNode };

const Proof = ({ letter, name, proven, children }: ProofProps) => (
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

type Props = { of: readonly Pick<Caveat, "about" | "says">[] | undefined; about?: Caveat["about"] };

/** @param about only those about one proof; by default all */
export const Caveats = ({ of = [], about }: Props) =>
  of
    .filter((each) => about === undefined || each.about === about)
    .map(({ says }) => (
      <span className="caveat" key={says}>
        {says}
      </span>
    ));
