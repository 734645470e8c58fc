/** The verdict before a payment: a pure function of recorded inputs, so that anybody can replay it to the same bytes. */
import { checksum } from "../addresses.ts";
import { dollarUnits } from "../offers/x402-prices.ts";
import { usdcText } from "../units-text.ts";
import type { KnownEndpoint, PreflightFacts, PreflightInputs } from "./facts.ts";
import { DEAD_DAYS, type Policy, policyOf, type Threshold, VALID_MS } from "./policy.ts";
import { EFFECTS, REASONS, type ReasonKey } from "./reasons.ts";
import type { PreflightView } from "./view.ts";

/** As it is answered (view.ts), with all that it follows from. */
export type Preflight = Omit<PreflightView, "payload" | "receipt" | "policy"> & {
  policy: Policy;
  inputs: PreflightInputs;
};
type Reason = Preflight["reasons"][number];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The verdict on a payment. Knows no clock, no agent and no caller but those of its inputs. */
export function preflight(inputs: PreflightInputs): Preflight {
  const { asked, facts, now } = inputs;
  const policy = policyOf(inputs.thresholds);
  const judgement = facts === null ? null : judged(facts, inputs, policy);
  const reasons = (
    judgement?.reasons ?? [
      reasonOf(inputs, "unknown", "The directory knows no such agent, nor one that names this URL.", {}),
    ]
  ).toSorted((a, b) => EFFECTS.indexOf(b.effect) - EFFECTS.indexOf(a.effect));
  const verdict = reasons[0]!.effect;
  const supports = reasons.every(({ effect }) => effect !== "unrated" && effect !== "deny");
  return {
    ...{ verdict, agent: facts?.agent ?? null, url: asked.url },
    payTo: facts?.wallet ? checksum(facts.wallet) : null,
    amount: textOf(judgement?.amount ?? (asked.amount === null ? null : BigInt(asked.amount))),
    maxAmount: usdcText(String(supports && judgement ? judgement.maxUnits : 0n)),
    ...{ reasons, policy, at: now, validUntil: new Date(Date.parse(now) + VALID_MS).toISOString(), inputs },
  };
}

const textOf = (units: bigint | null): string | null => (units === null ? null : usdcText(String(units)));

type Evidence = { evidence?: string; asOf?: string | null; threshold?: Threshold };
function reasonOf({ now }: PreflightInputs, key: ReasonKey, says: string, { evidence, asOf, threshold }: Evidence) {
  const ageSeconds = asOf ? Math.max(0, Math.floor((Date.parse(now) - Date.parse(asOf)) / 1000)) : null;
  const named = { threshold: threshold ?? null, evidence: evidence ?? null };
  return { key, effect: REASONS[key], says, ...named, asOf: asOf ?? null, ageSeconds };
}

type Add = (key: ReasonKey, says: string, more?: Evidence) => void;
/** What the rules share: the inputs, the policy, and where each adds its reasons. */
type Case = { inputs: PreflightInputs; facts: PreflightFacts; policy: Policy; now: number; add: Add };

function judged(facts: PreflightFacts, inputs: PreflightInputs, policy: Policy) {
  const reasons: Reason[] = [];
  const add: Add = (key, says, { threshold, ...more } = {}) => {
    // Named only where it is the caller's own.
    const own = threshold && policy.callers.includes(threshold) ? { threshold } : {};
    reasons.push(reasonOf(inputs, key, says, { ...more, ...own }));
  };
  const one: Case = { inputs, facts, policy, now: Date.parse(inputs.now), add };
  ofWallet(one);
  ofEndpoints(one);
  const amount = ofTerms(one);
  const maxUnits = ofIncome(one, amount);
  ofAge(one);
  return { reasons, amount, maxUnits };
}

const agentPath = ({ agent }: PreflightFacts) => `/api/terminal/agent/${encodeURIComponent(agent)}`;
const offersPath = (facts: PreflightFacts) => `${agentPath(facts)}/offers`;

function ofWallet({ facts, add }: Case): void {
  const evidence = agentPath(facts);
  if (facts.wallet === null)
    add("wallet_unproven", "No wallet is shown to be the agent's own, so no payment can be.", { evidence });
  else add("wallet_proven", "Its registry has shown that the wallet is the agent's own.", { evidence });
}

/** Whose the endpoint is, and whether it answers. */
function ofEndpoints(one: Case): void {
  const { inputs, facts, policy, now, add } = one;
  const { asked } = inputs;
  const evidence = offersPath(facts);
  const own = facts.endpoints.filter(({ confirmedBy }) => confirmedBy !== null);
  const asOf = latest(own, "checkedAt");
  // What it sells in a document of its own does not outweigh whose the very endpoint is.
  const isNamed = own.some(({ url }) => url === asked.url || url === asked.url?.split("?")[0]);
  if (facts.others.length > 0 && asked.agent !== null && !isNamed)
    return void add("endpoint_of_another", "The host shows that the endpoint is another agent's.", { evidence });
  if (own.length === 0) {
    const none = asked.url === null ? "It names no endpoint that is read." : "It names no such endpoint.";
    const says = facts.endpoints.length === 0 ? none : "Only the agent says that the endpoint is its own.";
    return void add("endpoint_unconfirmed", says, { evidence });
  }
  add("endpoint_confirmed", "Something other than the agent shows that the endpoint is its own.", { evidence, asOf });
  const { maxFactHours } = policy.thresholds;
  // Not when it was last to be asked: its host may forbid that and go on taking payments.
  const lastAt = latest(own, "answeredAt");
  if (lastAt !== null && now - Date.parse(lastAt) > maxFactHours * HOUR_MS)
    add("fact_old", "It has not told us its terms for long.", { evidence, asOf: lastAt, threshold: "maxFactHours" });
  const uptimes = own.flatMap(({ uptime }) => uptime ?? []);
  const uptime = 100 * Math.max(...uptimes);
  if (uptimes.length > 0 && uptime < policy.thresholds.minUptime)
    add("unsteady", `It answered in ${Math.floor(uptime)} % of 30 days.`, { evidence, asOf, threshold: "minUptime" });
  const checked = own.filter(({ checkedAt }) => checkedAt !== null);
  add(...lifeOf(one, checked, evidence));
}

function lifeOf(
  { inputs: { live }, policy, now }: Case,
  checked: readonly KnownEndpoint[],
  evidence: string,
): Parameters<Add> {
  // What it says now is newer than what was heard of it.
  if (live?.terms) return ["alive", "It answers now.", { evidence, asOf: live.readAt }];
  if (checked.length === 0) return ["not_asked_yet", "Its endpoint was not asked yet.", { evidence }];
  const answeredAt = latest(checked, "answeredAt");
  const since = checked.some(({ silentSince }) => silentSince === null) ? null : latest(checked, "silentSince");
  const silentMs = since === null ? 0 : now - Date.parse(since);
  if (answeredAt === null) return ["silent", "It never answered.", { evidence, asOf: since }];
  if (silentMs > DEAD_DAYS * DAY_MS)
    return ["dead", `It has not answered for ${DEAD_DAYS} days.`, { evidence, asOf: since }];
  return silentMs > policy.thresholds.maxSilentHours * HOUR_MS
    ? ["silent", "It is silent.", { evidence, asOf: since, threshold: "maxSilentHours" }]
    : ["alive", "It answered when it was asked last.", { evidence, asOf: answeredAt }];
}

type Times = "answeredAt" | "silentSince" | "checkedAt" | "walletUntil";
const latest = (endpoints: readonly KnownEndpoint[], of: Times): string | null =>
  endpoints.reduce<string | null>(
    (best, { [of]: at }) => (at !== null && (best === null || at > best) ? at : best),
    null,
  );

/** One that is to be paid. `units` null: in another currency, or not said. */
type Due = { payTo: string; units: bigint | null };

/**
 * Whom the terms pay, and whether they ask for more than is listed. Terms of several networks are judged by those of this one.
 * @returns units that are asked, else listed; null where neither is known
 */
function ofTerms(one: Case): bigint | null {
  const { inputs, facts, add } = one;
  const { asked, live, network } = inputs;
  const evidence = offersPath(facts);
  const asOf = latest(facts.endpoints, "checkedAt");
  const here = (terms: PreflightFacts["listed"]): Due[] =>
    terms.flatMap((one) => (one.network === network ? [{ payTo: lower(one.payTo), units: dollarUnits(one) }] : []));
  const listed = here(facts.listed);
  const given = [...here(asked.terms), ...here(live?.terms ?? [])];
  const payees = new Set([...given, ...(asked.payTo ? [{ payTo: lower(asked.payTo) }] : [])].map(({ payTo }) => payTo));
  if (live && !live.terms)
    add("live_failed", `Its terms could not be read now: ${live.why}`, { evidence, asOf: live.readAt });
  for (const terms of [asked.terms, live?.terms ?? []]) {
    // A client may pay any of those of this chain.
    const isInOther = here(terms).some(({ units }) => units === null);
    if (isInOther || (terms.length > 0 && here(terms).length === 0))
      add("terms_elsewhere", "It asks for other money than USDC on this chain, about which nothing is known here.", {
        evidence,
      });
  }
  // Without others, those that are listed are what will be paid.
  const all = payees.size > 0 ? [...payees] : [...new Set(listed.map(({ payTo }) => payTo))];
  for (const payTo of facts.wallet === null ? [] : all)
    add(...payee(payTo, { facts, listed, more: { evidence, asOf } }));
  ofSwitch(one, all);
  const sums = [...given.map(({ units }) => units), asked.amount === null ? null : BigInt(asked.amount)];
  const most = mostOf(sums);
  if (asked.url === null) return most;
  const price = mostOf(listed.map(({ units }) => units));
  if (price === null) add("terms_unlisted", "No price of it is listed to compare with.", { evidence, asOf });
  else if (most !== null && most > price)
    add("price_above_listed", `It asks for more than is listed, ${usdcText(String(price))} USDC.`, { evidence, asOf });
  else add("price_listed", "It asks for no more than is listed.", { evidence, asOf });
  return most ?? price;
}

type PayeeOf = { facts: PreflightFacts; listed: readonly Due[]; more: Evidence };
function payee(payTo: string, { facts, listed, more }: PayeeOf): Parameters<Add> {
  const lists = (address: string | null) => listed.some((one) => one.payTo === address);
  if (payTo === facts.wallet) return ["payee_proven", "Who pays, pays the agent's proven wallet.", more];
  if (payTo === facts.owner) return ["payee_unproven", "Who pays, pays the agent's owner.", more];
  // An agent's own word makes nobody its payee; where it listed its proven wallet, another one contradicts it.
  return /^0x/.test(payTo) && lists(facts.wallet) && !lists(payTo)
    ? ["payee_switched", "It listed the agent's proven wallet, and another one would be paid.", more]
    : ["payee_unproven", "Who pays, pays a wallet that is not shown to be the agent's.", more];
}

/** Whether what is paid there was paid to the agent's proven wallet until lately. @param payees who would be paid now, as far as that is known */
function ofSwitch({ inputs: { asked }, facts, policy, now, add }: Case, payees: readonly string[]): void {
  const { switchedDays } = policy.thresholds;
  const isOwn = (payTo: string) => payTo === facts.wallet || payTo === facts.owner;
  const asOf = latest(facts.endpoints, "walletUntil");
  if (asOf === null || now - Date.parse(asOf) > switchedDays * DAY_MS) return;
  if (payees.length > 0 && payees.every(isOwn)) return;
  // Another of its endpoints may have another seller while the rest still pays the agent.
  if (asked.url === null && payees.some(isOwn)) return;
  add("payee_switched", `It paid the agent's proven wallet, and has not since ${asOf.slice(0, 10)}.`, {
    ...{ evidence: `/api/v2/agent/${encodeURIComponent(facts.agent)}/offers/history`, asOf, threshold: "switchedDays" },
  });
}

const lower = (payTo: string) => (/^0x/i.test(payTo) ? payTo.toLowerCase() : payTo);
const mostOf = (units: readonly (bigint | null)[]): bigint | null =>
  units.reduce((most, one) => (one !== null && (most === null || one > most) ? one : most), null);

/** What independent payers have paid before. @returns units that it supports */
function ofIncome({ facts, policy, now, add }: Case, amount: bigint | null): bigint {
  const evidence = `/api/v2/agent/${encodeURIComponent(facts.agent)}/payments`;
  const { minPayers, maxUnits, maxFactHours } = policy.thresholds;
  const asOf = facts.income?.computedAt ?? null;
  const nth = BigInt(facts.income?.voices[minPayers - 1] ?? 0);
  const supported = nth < BigInt(maxUnits) ? nth : BigInt(maxUnits);
  if (supported === 0n) {
    const says = `Fewer than ${minPayers} independent payers have paid it before, as far as their money is read.`;
    add("income_none", says, { evidence, asOf, threshold: "minPayers" });
    return 0n;
  }
  if (now - Date.parse(asOf!) > maxFactHours * HOUR_MS)
    add("fact_old", "What it was paid was not computed for long.", { evidence, asOf, threshold: "maxFactHours" });
  const text = usdcText(String(supported));
  if (amount !== null && amount > supported) {
    const threshold = supported === nth ? "minPayers" : "maxUnits";
    add("amount_beyond", `The evidence supports ${text} USDC and no more.`, { evidence, asOf, threshold });
  } else
    add("income_supports", `${minPayers} independent payers or more have paid it ${text} USDC each.`, {
      evidence,
      asOf,
    });
  return supported;
}

function ofAge({ facts, policy: { thresholds }, now, add }: Case): void {
  const evidence = agentPath(facts);
  const asOf = facts.heldSince;
  const { minHeldDays, minCred } = thresholds;
  if (asOf === null || now - Date.parse(asOf) < minHeldDays * DAY_MS)
    add("held_shortly", `Its owner is not known to have it, with this wallet, for ${minHeldDays} days.`, {
      ...{ evidence, asOf, threshold: "minHeldDays" },
    });
  else add("held_long", `Its owner has it, with this wallet, for ${minHeldDays} days or more.`, { evidence, asOf });
  if (facts.cred < minCred) add("cred_low", `Its cred is ${facts.cred}.`, { evidence, threshold: "minCred" });
}
