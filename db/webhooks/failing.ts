/** Webhooks whose receivers take nothing, for operators. */
import type { LoggedAttempt } from "../../core/webhooks/webhook.ts";
import { webhook } from "../schema/webhooks.ts";
import { type Row, statement, t } from "../sql/statement.ts";
import { columnsOf } from "../sql/table-columns.ts";

const WEBHOOK = columnsOf(webhook, {
  only: ["webhookId", "owner", "url", "failures", "failingSince", "disabledAt", "disabledReason"],
});
export type FailingWebhook = Row<typeof failingWebhooks>;

/** Webhooks that fail or were switched off, those that have failed longest first. */
export const failingWebhooks = statement({
  name: "webhooks-failing",
  params: { limit: t.int8 },
  text: `
    select ${t.fieldsOf(WEBHOOK, { of: "w" })},
      (select count(*)::int4 from (select from offchain.webhook_delivery d
         where d.webhook_id = w.webhook_id and d.state = 'dead' limit 1000) counted) as dead,
      (select d.log from offchain.webhook_delivery d
       where d.webhook_id = w.webhook_id order by d.delivery_id desc limit 1) as log
    from offchain.webhook w
    where w.failures > 0 or w.disabled_at is not null
    order by coalesce(w.failing_since, w.disabled_at), w.webhook_id limit $limit`,
  columns: {
    ...WEBHOOK,
    /** Deliveries that were given up, counted up to 1,000. */
    dead: t.int4,
    /** The attempts of its newest delivery; null without one. */
    log: t.nullable(t.jsonb<LoggedAttempt[]>()),
  },
}).rows;
