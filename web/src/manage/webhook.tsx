/** One webhook: its state in words, and what its owner can do: test, deliveries, replay, another secret, switch on, end. */
import { type FormEvent, useEffect, useState } from "react";
import type { QueuedDelivery, ReplayAnswer, RotatedSecret, Webhook as Row } from "../api/types.ts";
import { count, moment } from "../formats.ts";
import { Choice } from "../parts/form.tsx";
import { say } from "../say.tsx";
import { OperationSteps, type RunningOperation } from "../wallet/operation.tsx";
import { Done } from "./outcome.tsx";
import { Deliveries } from "./webhook-deliveries.tsx";
import { Secret } from "./webhook-form.tsx";
import { useWebhookOperation, WEBHOOKS } from "./webhook-operation.ts";

type Props = {
  webhook: Row;
  /** Whether its deliveries are shown at first. */
  open: boolean;
  ended: (yes: boolean) => void;
};

export function Webhook({ webhook, open, ended }: Props) {
  const { id, url, dead, enabled } = webhook;
  const path = `${WEBHOOKS}/${id}`;
  const test = useWebhookOperation<QueuedDelivery>(`test.${id}`);
  const enable = useWebhookOperation<Row>(`enable.${id}`);
  const replay = useWebhookOperation<ReplayAnswer>(`replay.${id}`);
  const [shown, setShown] = useState(open);
  const send = (op: RunningOperation<never>, to: string, body?: object) =>
    void op.run({ method: "POST", path: `${path}/${to}`, ...(body && { body }) });
  return (
    <section className="panel stack webhook" aria-label={url}>
      <About webhook={webhook} />
      <Health webhook={webhook} />
      <p className="actions">
        {enabled ? (
          <button
            type="button"
            className="button"
            onClick={() => {
              setShown(true);
              send(test as never, "test");
            }}
          >
            {say("prove.webhooks.test")}
          </button>
        ) : (
          <button type="button" className="button strong" onClick={() => send(enable as never, "enable")}>
            {say("prove.webhooks.enable")}
          </button>
        )}
        <button type="button" className="button" aria-expanded={shown} onClick={() => setShown(!shown)}>
          {say("prove.webhooks.deliveries")}
        </button>
        {dead > 0 && enabled && (
          <button
            type="button"
            className="button"
            onClick={() => send(replay as never, "replay", { since: webhook.createdAt })}
          >
            {say("prove.webhooks.replayAll")}
          </button>
        )}
      </p>
      <OperationSteps op={test} done={() => <Done>{say("prove.webhooks.tested")}</Done>} />
      <OperationSteps op={enable} done={() => <Done>{say("prove.webhooks.enabled")}</Done>} />
      <OperationSteps
        op={replay}
        done={({ replayed }) => <Done>{say("prove.webhooks.replayed", { n: replayed })}</Done>}
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
      <dl className="facts">
        <div>
          <dt>{say("prove.webhooks.about")}</dt>
          <dd className="wrap">
            {about
              ? say(agents ? "prove.webhooks.ofAgents" : "prove.webhooks.ofOwners", { list: about.join(", ") })
              : say("prove.webhooks.aboutAny")}
          </dd>
        </div>
        <div>
          <dt>{say("prove.webhooks.when")}</dt>
          <dd>{say(finality === "final" ? "prove.webhooks.final" : "prove.webhooks.atOnce")}</dd>
        </div>
        <div>
          <dt>{say("prove.webhooks.waiting")}</dt>
          <dd>{count(pending)}</dd>
        </div>
        <div>
          <dt>{say("prove.webhooks.dead")}</dt>
          <dd>{count(dead)}</dd>
        </div>
      </dl>
    </>
  );
}

function stateOf({ enabled, disabledReason, pausedUntil, failures }: Row): { tone: string; words: string } {
  if (!enabled && disabledReason === "gone") return { tone: "lapsed", words: say("prove.webhooks.offGone") };
  if (!enabled) return { tone: "lapsed", words: say("prove.webhooks.offFailing") };
  if (pausedUntil !== null && Date.parse(pausedUntil) > Date.now())
    return { tone: "stale", words: say("prove.webhooks.paused") };
  return failures > 0
    ? { tone: "stale", words: say("prove.webhooks.failing") }
    : { tone: "proven", words: say("prove.webhooks.on") };
}

/** What is wrong with the receiver, and since when. */
function Health({ webhook }: { webhook: Row }) {
  const { enabled, disabledAt, failingSince, failures, pausedUntil } = webhook;
  const lines = [
    !enabled && disabledAt && say("prove.webhooks.offSince", { time: moment(disabledAt) }),
    enabled && failingSince && say("prove.webhooks.failingSince", { n: failures, time: moment(failingSince) }),
    enabled &&
      pausedUntil !== null &&
      Date.parse(pausedUntil) > Date.now() &&
      say("prove.webhooks.pausedUntil", { time: moment(pausedUntil) }),
  ].filter((line) => typeof line === "string");
  return lines.map((line) => (
    <p key={line} className="warn-text">
      {line}
    </p>
  ));
}

/** Seconds in which both secrets sign, and the words for it. */
const GRACE = [
  ["86400", "prove.webhooks.graceDay"],
  ["3600", "prove.webhooks.graceHour"],
  ["604800", "prove.webhooks.graceWeek"],
  ["0", "prove.webhooks.graceNone"],
] as const;

function Rotate({ id, path }: { id: string; path: string }) {
  const op = useWebhookOperation<RotatedSecret>(`rotate.${id}`);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const graceSeconds = Number(new FormData(event.currentTarget).get("grace"));
    void op.run({ method: "POST", path: `${path}/rotate`, body: { graceSeconds } });
  };
  if (op.state.at === "done") {
    const { secret, previousSecretExpiresAt: until } = op.state.answer;
    const note = until ? say("prove.webhooks.both", { time: moment(until) }) : say("prove.webhooks.onlyNew");
    return <Secret title={say("prove.webhooks.rotated")} secret={secret} note={note} stored={op.reset} />;
  }
  return (
    <details>
      <summary>{say("prove.webhooks.rotate")}</summary>
      <form className="check-form" onSubmit={submit}>
        <Choice
          name="grace"
          label={say("prove.webhooks.grace")}
          choices={GRACE.map(([seconds, key]) => [seconds, say(key)])}
        />
        <button type="submit" className="button" disabled={op.state.at === "working"}>
          {say("prove.webhooks.rotateNow")}
        </button>
      </form>
      <OperationSteps op={op} done={() => null} />
    </details>
  );
}

/** Ending asks once more: secrets and deliveries go with the webhook. */
function End({ id, path, ended }: { id: string; path: string; ended: Props["ended"] }) {
  const op = useWebhookOperation<{ deleted: string }>(`end.${id}`);
  const done = op.state.at === "done";
  useEffect(() => {
    // The list shows the outcome, because this part disappears with its webhook.
    if (done) ended(true);
  }, [done, ended]);
  return (
    <details>
      <summary>{say("prove.webhooks.end")}</summary>
      <div className="stack">
        <p className="muted">{say("prove.webhooks.endNote")}</p>
        <p className="actions">
          <button
            type="button"
            className="button"
            disabled={op.state.at === "working"}
            onClick={() => void op.run({ method: "DELETE", path })}
          >
            {say("prove.webhooks.endNow")}
          </button>
        </p>
        <OperationSteps op={op} done={() => null} />
      </div>
    </details>
  );
}
