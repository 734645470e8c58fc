/** Webhooks whose receivers take nothing, for operators. */
import type { Address } from "../../core/agents/facts.ts";
import type { DisabledReason } from "../../core/webhooks/attempts.ts";
import type { LoggedAttempt } from "../../core/webhooks/webhook.ts";
import { int4, int8, jsonb, narrow, nullable, type Row, statement, text, timestamptz } from "../sql/statement.ts";

export type FailingWebhook = Row<typeof failingWebhooks>;

/** Webhooks that fail or were switched off, those that have failed longest first. */
export const failingWebhooks = statement({
  name: "webhooks-failing",
  params: { limit: int8 },
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
    webhookId: text,
    owner: narrow<Address>(text),
    url: text,
    failures: int4,
    failingSince: nullable(timestamptz),
    disabledAt: nullable(timestamptz),
    disabledReason: nullable(narrow<DisabledReason>(text)),
    /** Deliveries that were given up, counted up to 1,000. */
    dead: int4,
    /** The attempts of its newest delivery; null without one. */
    log: nullable(jsonb<LoggedAttempt[]>()),
  },
}).rows;
