/** Who is paid at an endpoint, or was: kept apart from its changes, which are cut and folded. */
import { MAX_NAMED } from "../events/events.ts";
import type { OfferChange, Version, VersionItem } from "./offer-change.ts";

/** Times in ISO 8601. */
export type Payee = {
  /** Lower-case where it is an address of an EVM chain. */
  payTo: string;
  /** What is paid for; null in the union of an agent. */
  endpoint: string | null;
  /** When it was first read, and when the first reading came in which it was not paid any more; null while it is. */
  since: string;
  until: string | null;
};

/** Bound: payees of now, and as many earlier ones, that are kept of one endpoint or agent. Of each those that were paid longest stay: short-lived ones push none out. */
const MOST_PAYEES = 128;

/** Who is paid by what is offered. */
export const paidBy = (items: readonly VersionItem[]): Pick<Payee, "payTo" | "endpoint">[] =>
  items.flatMap(({ endpoint, accepts }) => accepts.map(({ payTo }) => ({ payTo, endpoint })));

const keyOf = ({ payTo, endpoint }: Pick<Payee, "payTo" | "endpoint">) => `${payTo} ${endpoint}`;

/** What is known of payees after a reading. @param paid in this one @param at when it was made, ISO 8601 */
export function remembered(
  known: readonly Payee[],
  paid: readonly Pick<Payee, "payTo" | "endpoint">[],
  at: string,
): Payee[] {
  const added = new Map(paid.map((one) => [keyOf(one), { ...one, since: at, until: null }]));
  const before = known.map((one) => ({ ...one, until: added.delete(keyOf(one)) ? null : (one.until ?? at) }));
  const paidFor = ({ since, until }: Payee) => Date.parse(until ?? at) - Date.parse(since);
  const sorted = [...before, ...added.values()].toSorted((a, b) => paidFor(b) - paidFor(a));
  const [now, earlier] = [sorted.filter(({ until }) => until === null), sorted.filter(({ until }) => until !== null)];
  return [...now.slice(0, MOST_PAYEES), ...earlier.slice(0, MOST_PAYEES)];
}

const DAY_MS = 86_400_000;
/** Days after its first reading in which what an agent sells is still being read for the first time. */
const FIRST_DAYS = 2;
/** Accounts that are new within so many days, from which on a seller is taken to change whom it has paid as a habit. */
const HABIT = { payees: 4, days: 7 };

type Repaid = OfferChange["payTo"];
type Of = { changed: Repaid; known: readonly Payee[]; firstAt: Date; now: Date };

/**
 * What is to be told of who is paid at an endpoint: what is different there, and who is new for the agent, whatever endpoint
 * it is paid at.
 * @param of.known the union of those who were paid at the agent's endpoints @param of.firstAt when the agent was first read
 * @returns `isHabit`: it has had another payee so often that this is told for the last time; `union`: null where it is as known
 */
export function payeesTold({ items }: Version, { changed, known, firstAt, now }: Of) {
  const isKnown = new Set(known.map(({ payTo }) => payTo));
  const fresh = [...new Set(paidBy(items).map(({ payTo }) => payTo))].filter((payTo) => !isKnown.has(payTo));
  const firstEnd = firstAt.getTime() + FIRST_DAYS * DAY_MS;
  const from = Math.max(now.getTime() - HABIT.days * DAY_MS, firstEnd);
  const before =
    known.length < MOST_PAYEES ? known.filter(({ since }) => Date.parse(since) > from).length : HABIT.payees;
  // Who was paid for longer than a habit lasts is no such payee: that it is paid no more is always told.
  const lasting = new Set(known.filter(({ since }) => Date.parse(since) <= from).map(({ payTo }) => payTo));
  const left = changed.filter(({ from, to }) => from.some((payTo) => lasting.has(payTo) && !to.includes(payTo)));
  const told = new Set(changed.flatMap(({ to }) => to));
  const others = known.length > 0 && now.getTime() > firstEnd ? fresh.filter((payTo) => !told.has(payTo)) : [];
  const { name = "" } = items.find(({ accepts }) => accepts.some(({ payTo }) => payTo === others[0])) ?? {};
  const added = { name, from: [...isKnown].slice(0, MAX_NAMED), to: others.slice(0, MAX_NAMED) };
  const paid = [...isKnown, ...fresh].map((payTo) => ({ payTo, endpoint: null }));
  return {
    payTo: before >= HABIT.payees ? left : others.length > 0 ? [added, ...changed] : changed,
    isHabit: before + fresh.length >= HABIT.payees,
    union: fresh.length > 0 ? remembered(known, paid, now.toISOString()) : null,
  };
}
