/** The deliveries of a webhook, the newest first, each with its attempts and their outcome. */
import { useState } from "react";
import type { Delivery, Deliveries as Page, QueuedDelivery } from "../api/types.ts";
import { age, count, counted, moment } from "../formats.ts";
import { Button } from "../parts/button.tsx";
import { NotYet } from "../parts/states.tsx";
import { useSignedRead } from "../wallet/needs-wallet.tsx";
import { OperationSteps } from "../wallet/operation.tsx";
import { useWebhookOperation } from "./webhook-form.tsx";

const DELIVERIES_PER_PAGE = 20;
/** Milliseconds between two reads: while a delivery waits, and otherwise. */
const SOON_MS = 1_500;
const LATER_MS = 15_000;

const STATES = {
  pending: { tone: "stale", words: "Waiting" },
  delivered: { tone: "proven", words: "Delivered" },
  dead: { tone: "lapsed", words: "Given up" },
} as const;

/** @param path of the webhook */
export function Deliveries({ path, enabled }: { path: string; enabled: boolean }) {
  const [before, setBefore] = useState<number | null>(null);
  const page = `${path}/deliveries?limit=${DELIVERIES_PER_PAGE}${before === null ? "" : `&before=${before}`}`;
  const {
    data: answer,
    error,
    refetch,
  } = useSignedRead<Page>(page, (page) =>
    page?.deliveries.some(({ state }) => state === "pending") ? SOON_MS : LATER_MS,
  );
  if (!answer) return <NotYet error={error} refetch={refetch} rows={2} />;
  const { deliveries, nextBefore } = answer.data;
  return (
    <div className="stack">
      {deliveries.length === 0 ? (
        <p className="muted">Nothing was sent yet.</p>
      ) : (
        <ul className="deliveries" aria-label="Deliveries">
          {deliveries.map((delivery) => (
            <Row key={delivery.id} path={path} delivery={delivery} enabled={enabled} />
          ))}
        </ul>
      )}
      {(before !== null || nextBefore !== null) && (
        <p className="actions">
          <Button disabled={before === null} onClick={() => setBefore(null)}>
            Newest
          </Button>
          <Button disabled={nextBefore === null} onClick={() => setBefore(nextBefore)}>
            Older
          </Button>
        </p>
      )}
    </div>
  );
}

function Row({ path, delivery, enabled }: { path: string; delivery: Delivery; enabled: boolean }) {
  const { id, type, state, createdAt, attempts, nextAttemptAt } = delivery;
  const op = useWebhookOperation<QueuedDelivery>(`replay.${path}.${id}`);
  const { tone, words } = STATES[state];
  const last = attempts.at(-1);
  return (
    <li className="delivery">
      <span className="tag" data-state={tone}>
        {words}
      </span>
      <span className="delivery-words">
        <code>{type}</code>
        <span className="faint hint" title={moment(createdAt)}>
          {age(createdAt)} ago
          {last && ` · ${outcomeOf(last)}`}
          {nextAttemptAt !== null && attempts.length > 0 && ` · next attempt ${moment(nextAttemptAt)}`}
        </span>
        {attempts.length > 0 && (
          <details>
            <summary>{counted(attempts.length, "attempt", "attempts")}</summary>
            <ol className="attempts">
              {attempts.map((attempt) => (
                <li key={attempt.at}>
                  <span className="faint">{moment(attempt.at)}</span> {outcomeOf(attempt)}
                </li>
              ))}
            </ol>
          </details>
        )}
        <OperationSteps
          op={op}
          done={() => (
            <span className="unseen" role="status">
              It is due again.
            </span>
          )}
        />
      </span>
      {state !== "pending" && enabled && (
        <Button disabled={op.busy} onClick={() => void op.run({ path: `${path}/deliveries/${id}/replay` })}>
          Send again
        </Button>
      )}
    </li>
  );
}

/** The receiver's status, or the reason why there was none, and how long it took. */
const outcomeOf = ({ status, error, durationMs }: Delivery["attempts"][number]): string =>
  status === null
    ? `no answer: ${error ?? ""} (${count(durationMs)} ms)`
    : `answered ${status} in ${count(durationMs)} ms`;
