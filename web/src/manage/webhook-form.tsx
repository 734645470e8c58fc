/** A new webhook: where events go, which, and about whom; and a secret, which is shown once. */
import { useEffect, useState } from "react";
import { Link } from "wouter";
import type { EventType } from "../../../core/events/events.ts";
import { Problem } from "../api/answer.ts";
import type { Agent, CreatedWebhook } from "../api/types.ts";
import { Action } from "../parts/button.tsx";
import { Copy } from "../parts/copy.tsx";
import { Check, Field, type FieldEntry, Form, type FormText } from "../parts/form.tsx";
import { OperationSteps, Refused, type RunningOperation, useOperation } from "../wallet/operation.tsx";

export const WEBHOOKS = "/api/v2/webhooks";

/** A write about webhooks. @param name of the operation and its webhook */
export const useWebhookOperation = <T,>(name: string): RunningOperation<T> =>
  useOperation<T>({ name: `webhook.${name}`, caller: "siwa", changes: WEBHOOKS });

/** The types of events in words. A retraction is sent with every type, so it is no choice. */
const EVENTS = {
  "agent.registered": "An agent is registered.",
  "agent.updated": "Something shown of an agent is changed.",
  "agent.transferred": "An agent has another owner.",
  "agent.verified": "A wallet, an account or an owner is proven.",
  "proof.lapsed": "A proof is gone where it stood.",
  "attestation.revoked": "An attestation is revoked.",
  "agent.paid": "An agent is paid.",
  "agent.reviewed": "An agent is reviewed.",
  "agent.offer_changed": "An agent offers something else.",
  "agent.price_changed": "An agent asks for another price.",
  "agent.pay_to_changed": "An agent is paid to another account.",
  "cred.changed": "A score changes.",
  "message.sent": "A message is sent to a public group.",
} as const satisfies Record<Exclude<EventType, "event.retracted">, string>;
/** When events are sent, in words. */
export const FINALITIES = {
  any: "as it happens; taken back if the chain undoes it",
  final: "when nothing can undo it",
} as const;
const CHOICES = Object.keys(EVENTS) as (keyof typeof EVENTS)[];
/** Events that are chosen at first. */
const USUAL = new Set<string>(["agent.updated", "cred.changed", "proof.lapsed"]);

const URL_FIELD: FieldEntry = {
  ...{ name: "url", label: "URL", hint: "https, on a public host" },
  ...{ type: "url", max: 2_000, placeholder: "https://example.com/hooks/agents" },
};

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
  const submit = (text: FormText) => {
    const about = text("about");
    return op.run({
      method: "POST",
      path: WEBHOOKS,
      body: {
        url: text("url"),
        events: CHOICES.filter((name) => chosen.has(name)),
        ...(about === "agent" && { agents: [agent.tokenId] }),
        ...(about === "owner" && { owners: [agent.owner] }),
        finality: text("finality"),
      },
    });
  };
  if (state.at === "done") return <Secret title="The webhook is made" secret={state.answer.secret} stored={op.reset} />;
  return (
    <section className="panel">
      <details open={first || state.at !== "idle"}>
        <summary>New webhook</summary>
        <Form
          before={
            <>
              <Field {...URL_FIELD} faults={op.faults} />
              <EventChoice chosen={chosen} choose={setChosen} />
            </>
          }
          fields={[
            {
              ...{ name: "about", label: "About" },
              choices: [
                ["agent", `this agent, ${agent.name}`],
                ["owner", "all agents of its owner"],
                ["any", "any agent"],
              ],
            },
            { name: "finality", label: "Sent", choices: Object.entries(FINALITIES) },
          ]}
          faults={op.faults}
          submit={submit}
          does="Make the webhook"
          busy={op.busy || chosen.size === 0}
          beside={chosen.size === 0 && <span className="muted">Choose at least one event.</span>}
        />
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
      Connect an agent's own wallet:{" "}
      <Link href={`/agent/${tokenId}/manage/proofs#verify`}>verify this agent's wallet</Link>, or{" "}
      <Link href="/mint">register an agent</Link>.
    </p>
  </Refused>
);

const EventChoice = ({ chosen, choose }: { chosen: ReadonlySet<string>; choose: (chosen: Set<string>) => void }) => (
  <fieldset className="event-choice">
    <legend className="label">Events</legend>
    {CHOICES.map((name) => (
      <Check
        key={name}
        name={name}
        checked={chosen.has(name)}
        onChange={({ target }) =>
          choose(target.checked ? new Set([...chosen, name]) : new Set([...chosen].filter((one) => one !== name)))
        }
      >
        <code>{name}</code> <span className="faint hint">{EVENTS[name]}</span>
      </Check>
    ))}
  </fieldset>
);

type SecretProps = { title: string; secret: string; note?: string; stored: () => void };

/** A secret that the service shows this once; it goes when its owner says that it is stored. */
export const Secret = ({ title, secret, note, stored }: SecretProps) => (
  <section className="panel mint-step secret" role="status">
    <h2>{title}</h2>
    <p>This secret signs what is sent. It is shown now and never again: store it where your receiver reads it.</p>
    {note && <p>{note}</p>}
    <p className="exact">
      <code>{secret}</code>
      <Copy text={secret} />
    </p>
    <Action strong onClick={stored}>
      I have stored it
    </Action>
  </section>
);
