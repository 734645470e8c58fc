/** Webhooks whose receivers take nothing, for operators. */
import type { Address } from "../../core/agents/facts.ts";
import type { DisabledReason } from "../../core/webhooks/attempts.ts";
import type { LoggedAttempt } from "../../core/webhooks/webhook.ts";
import { type Row, statement, t } from "../sql/statement.ts";

export type FailingWebhook = Row<typeof failingWebhooks>;

/** Webhooks that fail or were switched off, those that have failed longest first. */
export const failingWebhooks = statement({
  name: "webhooks-failing",
  params: { limit: t.int8 },
  text: `
    select w.webhook_id as "webhookId", w.owner, w.url, w.failures, w.failing_since as "failingSince",
      w.disabled_at as "disabledAt", w.disabled_reason as "disabledReason",
      (select count(*)::int4 from (select from offchain.webhook_delivery d
         where d.webhook_id = w.webhook_id and d.state = 'dead' limit 1000) counted) as dead,
      (select d.log from offchain.webhook_delivery d
       where d.webhook_id = w.webhook_id order by d.delivery_id desc limit 1) as log
    from offchain.webhook w
    where w.failures > 0 or w.disabled_at is not null
    order by coalesce(w.failing_since, w.disabled_at), w.webhook_id limit $limit`,
  columns: {
    webhookId: t.text,
    owner: t.narrow<Address>(t.text),
    url: t.text,
    failures: t.int4,
    failingSince: t.nullable(t.timestamptz),
    disabledAt: t.nullable(t.timestamptz),
    disabledReason: t.nullable(t.narrow<DisabledReason>(t.text)),
    /** Deliveries that were given up, counted up to 1,000. */
    dead: t.int4,
    /** The attempts of its newest delivery; null without one. */
    log: t.nullable(t.jsonb<LoggedAttempt[]>()),
  },
}).rows;
