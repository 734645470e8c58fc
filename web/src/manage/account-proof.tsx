/** The proof of an account on a platform: its state, what to publish and where, and the check with what it found. */
import type { FormEvent } from "react";
import type { ProofPlatform, ProofPlatformKey } from "../../../core/proof-platforms.ts";
import type { Agent, PendingWrite, ProofAnswer, Verifications } from "../api/types.ts";
import { age, moment } from "../formats.ts";
import { Copy } from "../parts/copy.tsx";
import { faultsOf, TextField } from "../parts/form.tsx";
import { Icon } from "../parts/icon.tsx";
import { OutLink } from "../parts/out-link.tsx";
import { Say, say } from "../say.tsx";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { OperationSteps, type RunningOperation } from "../wallet/operation.tsx";
import { useAgentOperation } from "./agent-operation.ts";
import { Done, isPending, Pending } from "./outcome.tsx";
import { PROOF_FORMS, type ProofForm } from "./proof-forms.ts";
import { ProofPart } from "./proof-part.tsx";
import { ProofRefusal } from "./proof-refusal.tsx";

type ProofRecord = Verifications[ProofPlatformKey];
type Props = {
  agent: Agent;
  platform: Pick<ProofPlatform, "label" | "letter"> & { key: ProofPlatformKey };
  /** The text to publish. */
  expected: string;
  record: ProofRecord;
};

export function AccountProof({ agent, platform, expected, record }: Props) {
  const { tokenId, owner, agentAddress } = agent;
  const { key, label, letter } = platform;
  const form = PROOF_FORMS[key];
  const op = useAgentOperation<ProofAnswer | PendingWrite>(["prove", key].join("."), tokenId);
  const send = (body: object) => void op.run({ method: "POST", path: `/api/v2/agent/${tokenId}/verify/${key}`, body });
  const isProven = record !== null && record.status !== "lapsed";
  const steps = (
    <ol className="proof-steps">
      <li>
        <p>{say(form.how as "prove.x.how")}</p>
        {form.fileName && <Exact label={say("prove.fileName")} text={form.fileName(expected.split(":")[0]!)} />}
        <Exact label={say("prove.exactText")} text={expected} />
        <p className="actions">
          <a className="button" href={form.place(expected)} target="_blank" rel="noopener noreferrer">
            <Icon name="out" /> {say(form.open as "prove.x.open")}
          </a>
        </p>
      </li>
      <li>
        <p>{say("prove.thenCheck")}</p>
        <NeedsWallet addresses={[owner, agentAddress]} who={say("prove.controllers")}>
          <CheckForm form={form} record={record} op={op} send={send} />
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
      about={record ? <bdi>{say("prove.account", { handle: record.handle })}</bdi> : say("prove.noAccount", { label })}
    >
      {record && <State record={record} label={label} />}
      {isProven ? (
        <details className="proof-more">
          <summary>{say("prove.checkAgain")}</summary>
          {steps}
        </details>
      ) : (
        steps
      )}
      <OperationSteps
        op={op}
        refused={(problem) => <ProofRefusal problem={problem} label={label} />}
        done={(answer) =>
          isPending(answer) ? (
            <Pending answer={answer} again={() => void op.again()} />
          ) : (
            <Done>
              <Say
                k="prove.done"
                handle={answer.handle}
                label={label}
                transaction={(text) => (
                  <a href={answer.explorer} rel="nofollow noopener noreferrer">
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

/** A text to be published exactly as it is. */
const Exact = ({ label, text }: { label: string; text: string }) => (
  <p className="exact">
    <span className="faint">{label}</span>
    <code>{text}</code>
    <Copy text={text} />
  </p>
);

type CheckProps = {
  form: ProofForm;
  record: ProofRecord;
  op: RunningOperation<ProofAnswer | PendingWrite>;
  send: (body: object) => void;
};

function CheckForm({ form, record, op, send }: CheckProps) {
  const { state } = op;
  const faults = faultsOf(state.at === "refused" ? state.problem : null);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const given = form.fields.map(({ name }) => [name, String(data.get(name) ?? "").trim()] as const);
    send(Object.fromEntries(given.filter(([, value]) => value !== "")));
  };
  return (
    <form className="check-form" onSubmit={submit}>
      {form.fields.map(({ name, label, max, optional }, i) => (
        <TextField
          key={name}
          name={name}
          label={say(label as "prove.x.handle")}
          max={max}
          optional={optional ?? false}
          faults={faults}
          defaultValue={i === 0 ? (record?.username ?? "") : ""}
        />
      ))}
      <button type="submit" className="button strong" disabled={state.at === "working"}>
        {say("prove.checkNow")}
      </button>
    </form>
  );
}

const WORDS = {
  verified: "prove.is.verified",
  stale: "prove.is.stale",
  lapsed: "prove.is.lapsed",
} as const;

/** A recorded proof: its status, since when, the last and the next check, and its address. */
function State({ record, label }: { record: NonNullable<ProofRecord>; label: string }) {
  const { status, verifiedAt, checkedAt, nextCheckAt, url } = record;
  const due = nextCheckAt !== null && Date.parse(nextCheckAt) <= Date.now();
  return (
    <>
      <p>{say(WORDS[status], { label })}</p>
      <dl className="facts">
        <div>
          <dt>{say("prove.since")}</dt>
          <dd>{moment(verifiedAt)}</dd>
        </div>
        <div>
          <dt>{say("prove.checked")}</dt>
          <dd title={moment(checkedAt)}>{say("prove.ago", { age: age(checkedAt) })}</dd>
        </div>
        <div>
          <dt>{say("prove.next")}</dt>
          <dd>{nextCheckAt === null ? say("prove.never") : due ? say("prove.due") : moment(nextCheckAt)}</dd>
        </div>
        {url && (
          <div>
            <dt>{say("prove.shownAt")}</dt>
            <dd>
              <OutLink text={url} />
            </dd>
          </div>
        )}
      </dl>
    </>
  );
}
