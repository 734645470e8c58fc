/** The proof of an account on a platform: its state, what to publish and where, and the check with what it found. */
import type { FormEvent } from "react";
import type { ProofPlatform, ProofPlatformKey } from "../../../core/proof-platforms.ts";
import type { Agent, PendingWrite, ProofAnswer, Verifications } from "../api/types.ts";
import { age, moment } from "../formats.ts";
import { Button } from "../parts/button.tsx";
import { Copy } from "../parts/copy.tsx";
import { Fact } from "../parts/facts.tsx";
import { faultsOf, TextField } from "../parts/form.tsx";
import { Icon } from "../parts/icon.tsx";
import { OutLink } from "../parts/out-link.tsx";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { OperationSteps, type RunningOperation } from "../wallet/operation.tsx";
import { useAgentOperation } from "./agent-operation.ts";
import { Done, isPending, Pending } from "./outcome.tsx";
import { PROOF_FORMS, type ProofForm } from "./proof-forms.ts";
import { CONTROLLERS, ProofPart } from "./proof-part.tsx";
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
  const op = useAgentOperation<ProofAnswer | PendingWrite>(`prove.${key}`, tokenId);
  const send = (body: object) => void op.run({ method: "POST", path: `/api/v2/agent/${tokenId}/verify/${key}`, body });
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
      <OperationSteps
        op={op}
        refused={(problem) => <ProofRefusal problem={problem} label={label} />}
        done={(answer) =>
          isPending(answer) ? (
            <Pending answer={answer} again={() => void op.again()} />
          ) : (
            <Done>
              @{answer.handle} on {label} proves this agent.{" "}
              <a href={answer.explorer} rel="nofollow noopener noreferrer">
                Its trait on chain
              </a>
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
          label={label}
          max={max}
          optional={optional ?? false}
          faults={faults}
          defaultValue={i === 0 ? (record?.username ?? "") : ""}
        />
      ))}
      <Button type="submit" strong disabled={state.at === "working"}>
        Check now
      </Button>
    </form>
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
      <dl className="facts">
        <Fact label="Proven since">{moment(verifiedAt)}</Fact>
        <Fact label="Last checked" title={moment(checkedAt)}>
          {age(checkedAt)} ago
        </Fact>
        <Fact label="Checked again">
          {nextCheckAt === null ? "only when you ask" : due ? "due now" : moment(nextCheckAt)}
        </Fact>
        {url && (
          <Fact label="Shown at">
            <OutLink text={url} />
          </Fact>
        )}
      </dl>
    </>
  );
}
