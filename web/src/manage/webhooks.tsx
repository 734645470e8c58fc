/** Section: the webhooks of the connected wallet, which deliver events about this agent or others. */
import { useState } from "react";
import { Link } from "wouter";
import type { QueuedDelivery, ReplayAnswer, RotatedSecret, Webhook as Row } from "../api/types.ts";
import { count, counted, moment, short } from "../formats.ts";
import { Button } from "../parts/button.tsx";
import { bodyOf, fieldsOf } from "../parts/form.tsx";
import { Facts } from "../parts/panel.tsx";
import { Empty, NotYet } from "../parts/states.tsx";
import { NeedsSignIn, useSignedRead } from "../wallet/needs-wallet.tsx";
import { Done, OperationButton, OperationForm, OperationSteps } from "../wallet/operation.tsx";
import { useWallet } from "../wallet/session.ts";
import { Deliveries } from "./webhook-deliveries.tsx";
import { FINALITIES, NewWebhook, Secret, useWebhookOperation, WEBHOOKS } from "./webhook-form.tsx";
import type { SectionProps } from "./write.tsx";

const POLL_MS = 10_000;

export default function Webhooks({ agent }: SectionProps) {
  const address = useWallet()?.address;
  return (
    <>
      <section className="panel stack">
        <h2>Webhooks</h2>
        <p className="muted">
          Events are sent to a URL of yours as they happen, signed. Webhooks belong to the connected wallet{" "}
          {address ? short(address) : ""}; <Link href="/docs/guide/events">the documentation</Link> says how to verify
          them.
        </p>
      </section>
      <NeedsSignIn why="Webhooks are shown to their wallet only. Sign in to see and make yours.">
        <Own agent={agent} />
      </NeedsSignIn>
    </>
  );
}

function Own({ agent }: SectionProps) {
  const { data: answer, error, refetch } = useSignedRead<{ webhooks: Row[] }>(WEBHOOKS, () => POLL_MS);
  // The newest is opened, so that its test is one click away.
  const [made, setMade] = useState<string | null>(null);
  const [ended, setEnded] = useState(false);
  const isMade = (id: string) => {
    setMade(id);
    setEnded(false);
  };
  if (!answer) return <NotYet error={error} refetch={refetch} rows={4} />;
  const webhooks = answer.data.webhooks.toReversed();
  return (
    <>
      <NewWebhook agent={agent} first={webhooks.length === 0} made={isMade} />
      {ended && <Done>The webhook is ended.</Done>}
      {webhooks.length === 0 && <Empty title="This wallet has no webhook yet" />}
      {webhooks.map((webhook) => (
        <Webhook key={webhook.id} webhook={webhook} open={webhook.id === made} ended={setEnded} />
      ))}
    </>
  );
}

type Props = {
  webhook: Row;
  /** Whether its deliveries are shown at first. */
  open: boolean;
  ended: (yes: boolean) => void;
};

function Webhook({ webhook, open, ended }: Props) {
  const { id, url, dead, enabled } = webhook;
  const path = `${WEBHOOKS}/${id}`;
  const test = useWebhookOperation<QueuedDelivery>(`test.${id}`);
  const enable = useWebhookOperation<Row>(`enable.${id}`);
  const replay = useWebhookOperation<ReplayAnswer>(`replay.${id}`);
  const [shown, setShown] = useState(open);
  return (
    <section className="panel stack webhook" aria-label={url}>
      <About webhook={webhook} />
      <Health webhook={webhook} />
      <p className="actions">
        {enabled ? (
          <Button
            onClick={() => {
              setShown(true);
              void test.run({ path: `${path}/test` });
            }}
          >
            Send a test
          </Button>
        ) : (
          <Button strong onClick={() => void enable.run({ path: `${path}/enable` })}>
            Switch on
          </Button>
        )}
        <Button aria-expanded={shown} onClick={() => setShown(!shown)}>
          Deliveries
        </Button>
        {dead > 0 && enabled && (
          <Button onClick={() => void replay.run({ path: `${path}/replay`, body: { since: webhook.createdAt } })}>
            Send again what was given up
          </Button>
        )}
      </p>
      <OperationSteps op={test} done={() => <Done>A webhook.ping is on its way. Its outcome shows below.</Done>} />
      <OperationSteps op={enable} done={() => <Done>It is on, and goes on where it stopped.</Done>} />
      <OperationSteps
        op={replay}
        done={({ replayed }) => <Done>{counted(replayed, "delivery is", "deliveries are")} due again.</Done>}
      />
      {shown && <Deliveries path={path} enabled={enabled} />}
      <Rotate id={id} path={path} />
      <End id={id} path={path} ended={ended} />
    </section>
  );
}

/** Where it sends, what, about whom, when, and how much waits. */
function About({ webhook }: { webhook: Row }) {
  const { url, events, agents, owners, finality, pending, dead } = webhook;
  const about = agents ?? owners;
  const { tone, words } = stateOf(webhook);
  return (
    <>
      <header className="webhook-head">
        <h3 className="mono wrap">
          <bdi>{url}</bdi>
        </h3>
        <span className="tag" data-state={tone}>
          {words}
        </span>
      </header>
      <ul className="tags">
        {events.map((name) => (
          <li key={name} className="tag plain">
            {name}
          </li>
        ))}
      </ul>
      <Facts
        className="facts"
        of={[
          [
            "About",
            about ? (agents ? `agent ${about.join(", ")}` : `agents of ${about.join(", ")}`) : "any agent",
            { className: "wrap" },
          ],
          ["Sent", FINALITIES[finality]],
          ["Waiting", count(pending)],
          ["Given up", count(dead)],
        ]}
      />
    </>
  );
}

function stateOf({ enabled, disabledReason, pausedUntil, failures }: Row): { tone: string; words: string } {
  if (!enabled && disabledReason === "gone") return { tone: "lapsed", words: "Off: receiver gone" };
  if (!enabled) return { tone: "lapsed", words: "Off: receiver failed" };
  if (pausedUntil !== null && Date.parse(pausedUntil) > Date.now()) return { tone: "stale", words: "Paused" };
  return failures > 0 ? { tone: "stale", words: "Failing" } : { tone: "proven", words: "On" };
}

/** What is wrong with the receiver, and since when. */
function Health({ webhook }: { webhook: Row }) {
  const { enabled, disabledAt, failingSince, failures, pausedUntil } = webhook;
  const lines = [
    !enabled &&
      disabledAt &&
      `Off since ${moment(disabledAt)}. Mend the receiver, then switch it on: it goes on where it stopped.`,
    enabled &&
      failingSince &&
      `${counted(failures, "attempt has", "attempts have")} failed since ${moment(failingSince)}.`,
    enabled &&
      pausedUntil !== null &&
      Date.parse(pausedUntil) > Date.now() &&
      `Nothing is sent before ${moment(pausedUntil)}. A test ends the pause.`,
  ].filter((line) => typeof line === "string");
  return lines.map((line) => (
    <p key={line} className="warn-text">
      {line}
    </p>
  ));
}

/** Seconds in which both secrets sign, and the words for it. */
const GRACE = fieldsOf("rotation", {
  graceSeconds: {
    label: "The secret before signs along for",
    hint: "",
    choices: [
      ["86400", "a day"],
      ["3600", "an hour"],
      ["604800", "a week"],
      ["0", "no time: it ends at once"],
    ],
  },
});

function Rotate({ id, path }: { id: string; path: string }) {
  const op = useWebhookOperation<RotatedSecret>(`rotate.${id}`);
  if (op.state.at === "done") {
    const { secret, previousSecretExpiresAt: until } = op.state.answer;
    const note = until ? `Until ${moment(until)} deliveries carry both signatures.` : "The secret before has ended.";
    return <Secret title="The new secret" secret={secret} note={note} stored={op.reset} />;
  }
  return (
    <details>
      <summary>Change the secret</summary>
      <OperationForm
        op={op}
        className="check-form"
        fields={GRACE}
        request={(text) => ({ path: `${path}/rotate`, body: bodyOf(GRACE, text) })}
        does="Make a new secret"
        weak
      />
    </details>
  );
}

/** Ending asks once more: secrets and deliveries go with the webhook, and the list shows the outcome. */
function End({ id, path, ended }: { id: string; path: string; ended: Props["ended"] }) {
  const op = useWebhookOperation<{ deleted: string }>(`end.${id}`, () => ended(true));
  return (
    <details>
      <summary>End this webhook</summary>
      <div className="stack">
        <p className="muted">Its secrets and the log of its deliveries are deleted. This cannot be undone.</p>
        <OperationButton op={op} request={{ method: "DELETE", path }} does="End it" />
      </div>
    </details>
  );
}
