/** Versions of what an endpoint offers, or an agent lists: their hash, and what is different between two of them. */
import { type OfferForm, offerForm } from "../../sdk/src/offer-form.ts";
import { canonicalHash, canonicalText } from "../canonical-json.ts";
import { MAX_NAMED } from "../events/events.ts";
import type { Offer } from "./offer.ts";
import { CHANGED_PARTS, type OfferChange, type Version, type VersionItem } from "./offer-change.ts";

/** Versions of another form are replaced without a word: it is we who changed. */
const FORM = 1;
/** Characters of the hashes within a version. */
const HASH_CHARS = 32;
/** Bounds of a change: entries of prices and recipients, members of each side of one, characters of a name. */
const MAX_TERMS = 8;
const MAX_SIDE = 5;
const MAX_NAME_CHARS = 300;

/** Each once, in one order. */
const inOrder = (items: readonly VersionItem[]): VersionItem[] =>
  [...new Map(items.map((item) => [canonicalText(item), item]))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, item]) => item);

function itemOf({ text, schema, ...form }: OfferForm): VersionItem {
  const hash = (value: object) => canonicalHash(value).slice(0, HASH_CHARS);
  return { ...form, text: hash(text), schema: schema && hash(schema) };
}

/** @param of.endpoints what a listing names, each by kind and URL with a space between */
export function versionOf(
  offers: readonly Offer[],
  { owner = null, endpoints = [] }: { owner?: string | null; endpoints?: readonly string[] } = {},
): Version {
  const bare = { endpoint: null, method: null, usd: null, accepts: [], text: null, schema: null };
  const named = endpoints.map((name): VersionItem => ({ kind: "endpoint", name, ...bare }));
  return { form: FORM, owner, items: inOrder([...named, ...offers.map((offer) => itemOf(offerForm(offer)))]) };
}

/** By what an item is known when something of it changes: where it is called if it is paid for there, else its name. */
function byKey(items: readonly VersionItem[]): Map<string, VersionItem> {
  const found = new Map<string, VersionItem>();
  for (const item of items) {
    const { kind, name, endpoint, method } = item;
    const key = JSON.stringify([kind, kind === "resource" && endpoint ? [method, endpoint] : name]);
    let place = 0;
    while (found.has(`${key} ${place}`)) place++;
    found.set(`${key} ${place}`, item);
  }
  return found;
}

/** What was read in part: what was known and is not in it stays. An owner that is not known now is the one before. */
export function continued(before: Version, now: Version, isPartial: boolean): Version {
  const read = byKey(now.items);
  const kept = isPartial ? [...byKey(before.items)].flatMap(([key, item]) => (read.has(key) ? [] : [item])) : [];
  return { ...now, owner: now.owner ?? before.owner, items: inOrder([...now.items, ...kept]) };
}

const isOther = (one: unknown, other: unknown) => canonicalText(one) !== canonicalText(other);
const payeesOf = (items: readonly VersionItem[]): string[] => [
  ...new Set(items.flatMap(({ accepts }) => accepts.map(({ payTo }) => payTo)).sort()),
];
/** Accounts that an item pays, those that are new before the others: of many only some are shown. */
const newFirst = (item: VersionItem, before: readonly string[]): string[] =>
  payeesOf([item]).sort((a, b) => Number(before.includes(a)) - Number(before.includes(b)));
const priceOf = ({ usd, accepts }: VersionItem) => ({
  ...{
    usd,
    accepts: firstOf(
      accepts.map(({ payTo: _, ...cost }) => cost),
      accepts.length,
    ),
  },
});

/** @returns what is different; null for nothing, and between two forms */
export function differences(before: Version, after: Version): OfferChange | null {
  if (before.form !== after.form) return null;
  const [old, now] = [byKey(before.items), byKey(after.items)];
  const pairs = [...now].flatMap(([key, to]) => (old.has(key) ? [{ from: old.get(key)!, to }] : []));
  const added = [...now].flatMap(([key, item]) => (old.has(key) ? [] : [item]));
  const removed = [...old].flatMap(([key, item]) => (now.has(key) ? [] : [item]));
  const repriced = pairs.filter(({ from, to }) => isOther(priceOf(from), priceOf(to)));
  const repaid = pairs.filter(
    ({ from, to }) =>
      isOther(payeesOf([from]), payeesOf([to])) ||
      (isOther(from.accepts, to.accepts) && !isOther(priceOf(from), priceOf(to))),
  );
  // One that is paid elsewhere under a new name or address is no less a change of who is paid.
  const payees = payeesOf(before.items);
  const newlyPaid = added.filter((item) => payees.length > 0 && payeesOf([item]).some((one) => !payees.includes(one)));
  const change = folded({
    added: added.map(({ name }) => name),
    removed: removed.map(({ name }) => name),
    changed: pairs
      .map(({ from, to }) => ({ name: to.name, parts: partsOf(from, to) }))
      .filter(({ parts }) => parts.length > 0),
    prices: repriced.map(({ from, to }) => ({ name: to.name, from: priceOf(from), to: priceOf(to) })),
    payTo: [
      ...repaid.map(({ from, to }) => ({ name: to.name, from: payeesOf([from]), to: newFirst(to, payeesOf([from])) })),
      ...newlyPaid.map((to) => ({ name: to.name, from: payees, to: newFirst(to, payees) })),
    ],
    owner: before.owner === after.owner ? null : { from: before.owner, to: after.owner },
    more: 0,
  });
  return Object.values(change).some((part) => (Array.isArray(part) ? part.length > 0 : part)) ? change : null;
}

const partsOf = (from: VersionItem, to: VersionItem) =>
  CHANGED_PARTS.filter((part) => {
    const member = part === "description" ? "text" : part === "inputSchema" ? "schema" : part;
    return from[member] !== to[member];
  });

/** The first of a list, each once. */
const firstOf = <T>(list: readonly T[], most: number): T[] =>
  [...new Map(list.map((each) => [canonicalText(each), each])).values()].slice(0, most);

/** A part of a change within its bounds. */
function short(value: unknown): unknown {
  if (typeof value === "string") return value.slice(0, MAX_NAME_CHARS);
  if (Array.isArray(value)) return value.slice(0, MAX_SIDE).map(short);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, short(each)]));
}

/** Lists of a change, with how many entries each has. */
const LISTS = Object.entries({
  added: MAX_NAMED,
  removed: MAX_NAMED,
  changed: MAX_NAMED,
  prices: MAX_TERMS,
  payTo: MAX_TERMS,
});

/** The entries of some changes in a row: of each list the first ones; what is left out is counted. */
export function folded(...changes: readonly OfferChange[]): OfferChange {
  let more = changes.reduce((sum, change) => sum + change.more, 0);
  const lists = LISTS.map(([name, most]) => {
    const all = firstOf(changes.flatMap((change) => change[name as "added"]).map(short), Number.POSITIVE_INFINITY);
    more += Math.max(0, all.length - most);
    return [name, all.slice(0, most)] as const;
  });
  const owners = changes.flatMap(({ owner }) => owner ?? []);
  const owner = owners.length > 0 ? { from: owners[0]!.from, to: owners.at(-1)!.to } : null;
  return { ...Object.fromEntries(lists), owner, more } as OfferChange;
}
