/** A new webhook: where events go, which, and about whom; and a secret, which is shown once. */
import { useState } from "react";
import { Link } from "wouter";
import type { EventType } from "../../../core/events/events.ts";
import { Problem } from "../api/answer.ts";
import type { Agent, CreatedWebhook } from "../api/types.ts";
import { Action } from "../parts/button.tsx";
import { Copy } from "../parts/copy.tsx";
import { Check, Field, type FieldEntry, type FormText, fieldsOf } from "../parts/form.tsx";
import { OperationForm, Refused, type RunningOperation, useOperation } from "../wallet/operation.tsx";

export const WEBHOOKS = "/api/v2/webhooks";

/** A write about webhooks. @param name of the operation and its webhook @param done is told the answer */
export const useWebhookOperation = <T,>(name: string, done?: (answer: T) => void): RunningOperation<T> =>
  useOperation<T>({ name: `webhook.${name}`, caller: "siwa", changes: WEBHOOKS, done });

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

type Props = {
  agent: Agent;
  /** Whether the form is open from the start. */
  first: boolean;
  made: (id: string) => void;
};

/** `about` is no part of the body: it is one of two members, or none. */
const fieldsFor = ({ name }: Agent): FieldEntry[] => [
  {
    ...{ name: "about", label: "About" },
    choices: [
      ["agent", `this agent, ${name}`],
      ["owner", "all agents of its owner"],
      ["any", "any agent"],
    ],
  },
  ...fieldsOf("webhook", { finality: { label: "Sent", hint: "", choices: Object.entries(FINALITIES) } }),
];
const [URL_FIELD] = fieldsOf("webhook", {
  url: { label: "URL", hint: "https, on a public host", type: "url", placeholder: "https://example.com/hooks/agents" },
});

export function NewWebhook({ agent, first, made }: Props) {
  const op = useWebhookOperation<CreatedWebhook>("create", ({ id }) => made(id));
  const { state } = op;
  const [chosen, setChosen] = useState(USUAL);
  const request = (text: FormText) => {
    const about = text("about");
    const events = CHOICES.filter((name) => chosen.has(name));
    const whose = about === "agent" ? { agents: [agent.tokenId] } : about === "owner" ? { owners: [agent.owner] } : {};
    return { path: WEBHOOKS, body: { url: text("url"), events, ...whose, finality: text("finality") } };
  };
  if (state.at === "done") return <Secret title="The webhook is made" secret={state.answer.secret} stored={op.reset} />;
  return (
    <section className="panel">
      <details open={first || state.at !== "idle"}>
        <summary>New webhook</summary>
        <OperationForm
          op={op}
          before={
            <>
              <Field {...URL_FIELD!} faults={op.faults} />
              <EventChoice chosen={chosen} choose={setChosen} />
            </>
          }
          fields={fieldsFor(agent)}
          request={request}
          does="Make the webhook"
          busy={chosen.size === 0}
          beside={chosen.size === 0 && <span className="muted">Choose at least one event.</span>}
          refused={(problem) =>
            problem instanceof Problem && problem.code === "forbidden" ? <NoAgent problem={problem} of={agent} /> : null
          }
        />
      </details>
    </section>
  );
}

/** The wallet is no agent's own: the ways to one that is. */
const NoAgent = ({ problem, of: { tokenId } }: { problem: Problem; of: Agent }) => (
  <Refused
    problem={problem}
    advice={
      <p className="muted">
        Connect an agent's own wallet:{" "}
        <Link href={`/agent/${tokenId}/manage/proofs#verify`}>verify this agent's wallet</Link>, or{" "}
        <Link href="/mint">register an agent</Link>.
      </p>
    }
  />
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
