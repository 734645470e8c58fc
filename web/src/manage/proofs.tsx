/** Section: the proofs of an agent: its wallet, its accounts on the platforms, and the exchange's attestation of its owner. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { PROOF_BADGE_LIST } from "../../../core/proof-platforms/badges.ts";
import { gistFileName } from "../../../core/proof-platforms/github.ts";
import type { ByProofPlatform, ProofPlatform, ProofPlatformKey } from "../../../core/proof-platforms.ts";
import { verifications } from "../api/queries.ts";
import type {
  Agent,
  ExchangeVerified,
  PendingWrite,
  ProofAnswer,
  Verifications,
  WalletVerified,
} from "../api/types.ts";
import { age, count, moment, short } from "../formats.ts";
import { Action, Icon } from "../parts/button.tsx";
import { Exact } from "../parts/copy.tsx";
import { bodyOf, type FieldEntry, Form } from "../parts/form.tsx";
import { OutLink } from "../parts/out-link.tsx";
import { Facts } from "../parts/panel.tsx";
import { NotYet } from "../parts/states.tsx";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { CONTROLLERS, isDone, ProofPart, ProofRefusal, ProofSteps, useAgentOperation } from "./proof-part.tsx";
import type { SectionProps } from "./write.tsx";

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
      {PROOF_BADGE_LIST.map(({ key, label, letter }) => (
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
  const run = () => void op.run({ path: `/api/v2/agent/${tokenId}/verify` });
  const proven = verified || isDone(op);
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
            <Action strong disabled={op.busy} onClick={run}>
              Verify the wallet
            </Action>
          )}
          <ProofSteps
            op={op}
            again={run}
            done={({ block }) => <>The wallet is verified on chain, in block {count(block)}.</>}
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
  const run = () => void op.run({ path: `/api/v2/agent/${tokenId}/coinbase-verify` });
  const proven = coinbaseVerified || isDone(op);
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
            <Action strong={!proven} disabled={op.busy} onClick={run}>
              Check now
            </Action>
          </NeedsWallet>
        </li>
      </ol>
      <ProofSteps
        op={op}
        again={run}
        done={({ attestationUid: uid }) => (
          <>
            The{" "}
            <a href={`https://base.easscan.org/attestation/view/${uid}`} rel="noopener noreferrer">
              attestation {short(uid)}
            </a>{" "}
            counts for this agent.
          </>
        )}
      />
    </ProofPart>
  );
}

/** How an account on each platform is proven in the browser. */
type ProofForm = {
  /** Where the text is published, as a sentence. */
  how: string;
  /** The name of the file that has the text. @param prefix lower-case name of the service */
  fileName?: (prefix: string) => string;
  /** Where the account publishes it. @param text the text to publish */
  place: (text: string) => string;
  open: string;
  /** They name the account as the request's body does; the first is filled with the account of a recorded proof. */
  fields: readonly FieldEntry[];
};

const PROOF_FORMS: ByProofPlatform<ProofForm> = {
  x: {
    how: "Put this text into the bio of your account, as a word of its own.",
    place: () => "https://x.com/settings/profile",
    open: "Edit your profile on X",
    fields: [{ name: "handle", label: "Handle on X", max: 16 }],
  },
  github: {
    how: "Create a public gist with a file of this name that holds this text.",
    fileName: gistFileName,
    place: () => "https://gist.github.com/",
    open: "Create a gist on GitHub",
    fields: [
      { name: "username", label: "GitHub username", max: 40 },
      { name: "gistId", label: "Id or address of the gist", max: 200, optional: true },
    ],
  },
  farcaster: {
    how: "Publish a cast of its own, not a reply, that holds this text as a word of its own.",
    place: (text) => `https://farcaster.xyz/~/compose?text=${encodeURIComponent(text)}`,
    open: "Write a cast on Farcaster",
    fields: [{ name: "username", label: "Farcaster name", max: 80 }],
  },
};

type ProofRecord = Verifications[ProofPlatformKey];
type Props = {
  agent: Agent;
  platform: Pick<ProofPlatform, "label" | "letter"> & { key: ProofPlatformKey };
  /** The text to publish. */
  expected: string;
  record: ProofRecord;
};

function AccountProof({ agent, platform, expected, record }: Props) {
  const { tokenId, owner, agentAddress } = agent;
  const { key, label, letter } = platform;
  const form = PROOF_FORMS[key];
  const op = useAgentOperation<ProofAnswer | PendingWrite>(`prove.${key}`, tokenId);
  const isProven = record !== null && record.status !== "lapsed";
  const steps = (
    <ol className="proof-steps">
      <li>
        <p>{form.how}</p>
        {form.fileName && <Exact label="File name" text={form.fileName(expected.split(":")[0]!)} />}
        <Exact label="Exact text" text={expected} />
        <p className="actions">
          <a className="button" href={form.place(expected)} target="_blank" rel="noopener noreferrer">
            <Icon name="out" /> {form.open}
          </a>
        </p>
      </li>
      <li>
        <p>Then have it checked. This takes a few seconds.</p>
        <NeedsWallet addresses={[owner, agentAddress]} who={CONTROLLERS}>
          <Form
            className="check-form"
            fields={form.fields.map((field, i) => ({ ...field, first: i === 0 ? (record?.username ?? "") : "" }))}
            faults={op.faults}
            submit={(text) =>
              op.run({ path: `/api/v2/agent/${tokenId}/verify/${key}`, body: bodyOf(form.fields, text) })
            }
            does="Check now"
            busy={op.busy}
          />
        </NeedsWallet>
      </li>
    </ol>
  );
  return (
    <ProofPart
      id={key}
      title={label}
      letter={letter}
      state={record === null ? "open" : record.status === "verified" ? "proven" : record.status}
      about={record ? <bdi>@{record.handle}</bdi> : `No account on ${label} is proven.`}
    >
      {record && <State record={record} label={label} />}
      {isProven ? (
        <details className="proof-more">
          <summary>Check it again, or prove another account</summary>
          {steps}
        </details>
      ) : (
        steps
      )}
      <ProofSteps
        op={op}
        again={() => void op.again()}
        refused={(problem) => <ProofRefusal problem={problem} label={label} />}
        done={({ handle, explorer }) => (
          <>
            @{handle} on {label} proves this agent.{" "}
            <a href={explorer} rel="nofollow noopener noreferrer">
              Its trait on chain
            </a>
          </>
        )}
      />
    </ProofPart>
  );
}

const SENTENCES: Record<NonNullable<ProofRecord>["status"], (label: string) => string> = {
  verified: () => "The proof was there at the last check, and counts.",
  stale: (label) => `${label} gave no answer at the last check. The proof still counts, and is checked again.`,
  lapsed: () =>
    "The proof was gone at the last check, so it does not count. Publish it again and check it, and it counts again.",
};

/** A recorded proof: its status, since when, the last and the next check, and its address. */
function State({ record, label }: { record: NonNullable<ProofRecord>; label: string }) {
  const { status, verifiedAt, checkedAt, nextCheckAt, url } = record;
  const due = nextCheckAt !== null && Date.parse(nextCheckAt) <= Date.now();
  return (
    <>
      <p>{SENTENCES[status](label)}</p>
      <Facts
        className="facts"
        of={[
          ["Proven since", moment(verifiedAt)],
          ["Last checked", `${age(checkedAt)} ago`, { title: moment(checkedAt) }],
          ["Checked again", nextCheckAt === null ? "only when you ask" : due ? "due now" : moment(nextCheckAt)],
          url !== null && ["Shown at", <OutLink text={url} />],
        ]}
      />
    </>
  );
}
