/** A new webhook: where events go, which, and about whom; and a secret, which is shown once. */
import { type FormEvent, useEffect, useState } from "react";
import { Link } from "wouter";
import type { EventType } from "../../../core/events/events.ts";
import { Problem } from "../api/answer.ts";
import type { Agent, CreatedWebhook } from "../api/types.ts";
import { Copy } from "../parts/copy.tsx";
import { Check, Choice, faultsOf, TextField } from "../parts/form.tsx";
import { type MessageKey, Say, say } from "../say.tsx";
import { OperationSteps, Refused } from "../wallet/operation.tsx";
import { useWebhookOperation, WEBHOOKS } from "./webhook-operation.ts";

/** The types of events in words. A retraction is sent with every type, so it is no choice. */
const EVENTS = {
  "agent.registered": "prove.event.registered",
  "agent.updated": "prove.event.updated",
  "agent.transferred": "prove.event.transferred",
  "agent.verified": "prove.event.verified",
  "proof.lapsed": "prove.event.lapsed",
  "attestation.revoked": "prove.event.revoked",
  "agent.paid": "prove.event.paid",
  "agent.reviewed": "prove.event.reviewed",
  "cred.changed": "prove.event.cred",
  "message.sent": "prove.event.message",
} as const satisfies Record<Exclude<EventType, "event.retracted">, MessageKey>;
const CHOICES = Object.keys(EVENTS) as (keyof typeof EVENTS)[];
/** Events that are chosen at first. */
const USUAL = new Set<string>(["agent.updated", "cred.changed", "proof.lapsed"]);

type Props = {
  agent: Agent;
  /** Whether the form is open from the start. */
  first: boolean;
  made: (id: string) => void;
};

export function NewWebhook({ agent, first, made }: Props) {
  const op = useWebhookOperation<CreatedWebhook>("create");
  const { state } = op;
  const [chosen, setChosen] = useState(USUAL);
  const id = state.at === "done" ? state.answer.id : null;
  useEffect(() => {
    if (id !== null) made(id);
  }, [id, made]);
  const faults = faultsOf(state.at === "refused" ? state.problem : null);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const about = form.get("about");
    void op.run({
      method: "POST",
      path: WEBHOOKS,
      body: {
        url: String(form.get("url")).trim(),
        events: CHOICES.filter((name) => chosen.has(name)),
        ...(about === "agent" && { agents: [agent.tokenId] }),
        ...(about === "owner" && { owners: [agent.owner] }),
        finality: form.get("finality"),
      },
    });
  };
  if (state.at === "done")
    return <Secret title={say("prove.webhooks.made")} secret={state.answer.secret} stored={op.reset} />;
  return (
    <section className="panel">
      <details open={first || state.at !== "idle"}>
        <summary>{say("prove.webhooks.new")}</summary>
        <form className="form" onSubmit={submit}>
          <TextField
            name="url"
            type="url"
            max={2_000}
            faults={faults}
            label={say("prove.webhooks.url")}
            hint={say("prove.webhooks.urlHint")}
            placeholder={say("prove.webhooks.urlExample")}
          />
          <EventChoice chosen={chosen} choose={setChosen} />
          <Choice
            name="about"
            faults={faults}
            label={say("prove.webhooks.about")}
            choices={[
              ["agent", say("prove.webhooks.aboutAgent", { name: agent.name })],
              ["owner", say("prove.webhooks.aboutOwner")],
              ["any", say("prove.webhooks.aboutAny")],
            ]}
          />
          <Choice
            name="finality"
            faults={faults}
            label={say("prove.webhooks.when")}
            choices={[
              ["any", say("prove.webhooks.atOnce")],
              ["final", say("prove.webhooks.final")],
            ]}
          />
          <p className="actions">
            <button type="submit" className="button strong" disabled={state.at === "working" || chosen.size === 0}>
              {say("prove.webhooks.create")}
            </button>
            {chosen.size === 0 && <span className="muted">{say("prove.webhooks.chooseOne")}</span>}
          </p>
        </form>
      </details>
      <OperationSteps
        op={op}
        done={() => null}
        refused={(problem) =>
          problem instanceof Problem && problem.code === "forbidden" ? <NoAgent problem={problem} of={agent} /> : null
        }
      />
    </section>
  );
}

/** The wallet is no agent's own: the ways to one that is. */
const NoAgent = ({ problem, of: { tokenId } }: { problem: Problem; of: Agent }) => (
  <Refused problem={problem}>
    <p className="muted">
      <Say
        k="prove.webhooks.noAgent"
        verify={(text) => <Link href={`/agent/${tokenId}/manage/proofs#verify`}>{text}</Link>}
        register={(text) => <Link href="/mint">{text}</Link>}
      />
    </p>
  </Refused>
);

type EventChoiceProps = {
  chosen: ReadonlySet<string>;
  choose: (change: (before: Set<string>) => Set<string>) => void;
};

function EventChoice({ chosen, choose }: EventChoiceProps) {
  return (
    <fieldset className="event-choice">
      <legend className="label">{say("prove.webhooks.events")}</legend>
      {CHOICES.map((name) => (
        <Check
          key={name}
          name={name}
          checked={chosen.has(name)}
          onChange={({ target }) =>
            choose((before) => {
              const after = new Set(before);
              if (target.checked) after.add(name);
              else after.delete(name);
              return after;
            })
          }
        >
          <code>{name}</code> <span className="faint hint">{say(EVENTS[name])}</span>
        </Check>
      ))}
    </fieldset>
  );
}

type SecretProps = { title: string; secret: string; note?: string; stored: () => void };

/** A secret that the service shows this once; it goes when its owner says that it is stored. */
export const Secret = ({ title, secret, note, stored }: SecretProps) => (
  <section className="panel mint-step secret" role="status">
    <h2>{title}</h2>
    <p>{say("prove.webhooks.secretNote")}</p>
    {note && <p>{note}</p>}
    <p className="exact">
      <code>{secret}</code>
      <Copy text={secret} />
    </p>
    <p className="actions">
      <button type="button" className="button strong" onClick={stored}>
        {say("prove.webhooks.stored")}
      </button>
    </p>
  </section>
);
