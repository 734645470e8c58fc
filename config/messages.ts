/** Events, webhooks and messages: how long they are kept and who may have how many. */
import { duration, flag, hash, list } from "./checks.ts";
import type { LIMITS } from "./limits.ts";
import { secret, type ValuesOf, type Variable, variable } from "./variable.ts";

/**
 * Variables of `Events` in `.env.example`.
 * Bound: events of one caller are limited as its writes are, and kept for EVENT_RETENTION, on disk a day longer;
 * webhooks without a filter get all of them, each up to 1,000 waiting.
 */
export const EVENTS = {
  EVENT_RETENTION: variable(
    ["workers"],
    "How long the event log keeps events, those after a snapshot as long as that (on disk up to a day longer, a month where it is over 62 days); it takes no events that are older when the service first sees them",
    duration,
    "7d",
  ),
  CRED_HISTORY_RETENTION: variable(
    ["workers"],
    "Months of the score history that ended before this, and before the oldest snapshot, are removed, but each agent's last point; at least EVENT_RETENTION (unset: all of it is kept)",
    duration,
  ),
} satisfies Record<string, Variable>;

/** Variables of `Webhooks` in `.env.example`. */
export const WEBHOOKS = {
  WEBHOOK_KEYS: secret(
    variable(
      ["api", "workers"],
      "Keys that encrypt the secrets of webhooks, 0x and 64 hex digits each, comma list; the first encrypts, all of them decrypt; keys that sign requests to strangers' hosts follow from them (unset: no webhooks, no signatures)",
      list(hash),
    ),
  ),
  WEBHOOK_ALLOW_PRIVATE: variable(
    ["api", "workers"],
    "Whether webhooks may lead to this machine itself, over http too; for development",
    flag,
    "false",
  ),
} satisfies Record<string, Variable>;

/** Variables of `Messaging` in `.env.example`. */
export const MESSAGES = {
  MESSAGE_RETENTION: variable(
    ["workers"],
    "Messages older than this are deleted (unset: the service keeps all messages)",
    duration,
  ),
} satisfies Record<string, Variable>;

/** Options of `eventRetentionMs`, `credHistoryRetentionMs`, `webhooks`, `messageRetentionMs` in the configuration. */
export function messagesConfig(v: ValuesOf<typeof EVENTS & typeof WEBHOOKS & typeof MESSAGES & typeof LIMITS>) {
  return {
    eventRetentionMs: v.EVENT_RETENTION,
    /** Undefined: the service keeps the whole history of scores. Never shorter than the retention of events. */
    credHistoryRetentionMs:
      v.CRED_HISTORY_RETENTION === undefined ? undefined : Math.max(v.CRED_HISTORY_RETENTION, v.EVENT_RETENTION),
    webhooks: {
      /** The first key seals; none: the service has no webhooks. */
      keys: v.WEBHOOK_KEYS ?? [],
      allowLoopback: v.WEBHOOK_ALLOW_PRIVATE,
      perWallet: v.LIMITS["webhooks-of-wallet"],
      perNetwork: v.LIMITS["webhooks-of-network"],
      inAll: v.LIMITS["webhooks-in-all"],
    },
    /** Undefined: the service keeps every message. */
    messageRetentionMs: v.MESSAGE_RETENTION,
  };
}
