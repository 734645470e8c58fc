/** Endpoints as a buyer meets them, each as recorded inputs of a verdict. */
import type { Accept } from "../../../core/offers/offer.ts";
import type { KnownEndpoint, PreflightFacts, PreflightInputs } from "../../../core/preflight/facts.ts";
import { between, pick, randomOf } from "../../../harness/random.ts";

const NETWORK = "eip155:8453";
const USDC = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
const SOLANA = {
  network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
  payTo: "FnHyam9w4NZoWR6mKN1CuGBritutsZEWoWkSNNgDZ6nu",
};
const NOW = Date.UTC(2026, 10, 30);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
export const ago = (ms: number) => new Date(NOW - ms).toISOString();
export const addressOf = (seed: number) => `0x${seed.toString(16).padStart(40, "a")}`;
export const accept = (payTo: string, units: number): Accept => ({
  ...{ scheme: "exact", network: NETWORK, asset: USDC, amount: String(units), payTo },
});

/** @param seed of all that differs between two of them; what is good about one is good about each */
function honestCase(seed: number) {
  const random = randomOf(seed);
  const [wallet, owner, price] = [addressOf(seed), addressOf(seed + 10_000), between(random, 1_000, 400_000)];
  const url = `https://host-${seed}.example/paid`;
  const answeredAt = ago(between(random, 0, 30) * HOUR);
  const endpoint: KnownEndpoint = {
    ...{ url, confirmedBy: pick(random, ["host_file", "registration_file", "payee"]) },
    ...{ answeredAt, silentSince: null, checkedAt: answeredAt, uptime: random() < 0.5 ? null : 1 - random() / 10 },
    walletUntil: null,
  };
  const listed = [accept(wallet, price)];
  if (random() < 0.3) listed.push({ ...accept(SOLANA.payTo, price), network: SOLANA.network });
  const voices = Array.from({ length: between(random, 3, 20) }, () => String(between(random, 400_000, 50_000_000)));
  const facts: PreflightFacts = {
    ...{ agent: `erc8004-${seed}`, wallet, owner, cred: between(random, 0, 100), others: [] },
    ...{ heldSince: ago(between(random, 15, 400) * DAY), endpoints: [endpoint], listed },
    income: { computedAt: ago(between(random, 0, 30) * HOUR), voices: voices.sort((a, b) => Number(b) - Number(a)) },
  };
  // Asks by its terms, by amount and receiver, or by the URL alone.
  const asked = { agent: null, url, amount: null, payTo: null, terms: [] as Accept[] };
  const way = pick(random, [
    { ...asked, terms: listed },
    { ...asked, amount: String(price), payTo: wallet },
    asked,
    { ...asked, agent: facts.agent },
  ]);
  const live = random() < 0.3 ? { readAt: ago(0), terms: listed, why: null } : null;
  const inputs: PreflightInputs = { network: NETWORK, asked: way, thresholds: {}, now: ago(0), facts, live };
  return { random, inputs, facts, endpoint, asked, price, thief: addressOf(seed + 20_000) };
}
type Case = ReturnType<typeof honestCase>;
type Kind = { isHostile: boolean; of(one: Case): PreflightInputs };

const live = (terms: Accept[] | null) => ({
  readAt: ago(0),
  terms,
  why: terms ? null : "It did not answer in 2 seconds.",
});
const withFacts = ({ inputs, facts }: Case, changed: Partial<PreflightFacts>): PreflightInputs => ({
  ...{ ...inputs, facts: { ...facts, ...changed } },
});
const withEndpoint = (one: Case, changed: Partial<KnownEndpoint>, more: Partial<PreflightFacts> = {}) =>
  withFacts(one, { endpoints: [{ ...one.endpoint, ...changed }], ...more });
/** The seller shows other terms than it listed: to the buyer, who sends them, or to us, who ask. */
const shows = ({ inputs, asked, random }: Case, terms: Accept): PreflightInputs =>
  random() < 0.5 ? { ...inputs, live: live([terms]) } : { ...inputs, asked: { ...asked, terms: [terms] }, live: null };

export const KINDS = {
  honest: { isHostile: false, of: ({ inputs }) => inputs },
  "honest, paid to its owner or by turns": {
    isHostile: false,
    of: (one) => {
      const { random, facts, price, thief } = one;
      const receiver = pick(random, [facts.owner!, thief]);
      return {
        ...withFacts(one, { listed: [accept(receiver, price)] }),
        live: live([accept(pick(random, [receiver, addressOf(7)]), price)]),
      };
    },
  },
  "price switched": {
    isHostile: true,
    of: (one) =>
      shows(one, accept(one.facts.wallet!, Math.ceil(one.price * pick(one.random, [1.001, 1.5, 10, 1_000])))),
  },
  "payTo switched": {
    isHostile: true,
    of: (one) => {
      const { random, price, thief } = one;
      const switched = shows(one, accept(thief, price));
      // Read again since.
      const listed = [accept(thief, price)];
      return random() < 0.5 ? switched : { ...switched, facts: { ...one.facts, listed } };
    },
  },
  "payTo switched and read again": {
    isHostile: true,
    of: (one) => {
      const { random, facts, asked, price, thief } = one;
      const terms = [accept(thief, price)];
      // Where nothing else than the terms showed whose the endpoint is, nothing does now, and nothing is listed.
      const [confirmedBy, listed] = pick(random, [["host_file", terms] as const, [null, []] as const]);
      const walletUntil = ago(between(random, 0, 29 * 24) * HOUR);
      const given = pick(random, [asked, { ...asked, terms }, { ...asked, payTo: thief, agent: facts.agent }]);
      const shown = random() < 0.5 && confirmedBy !== null ? live(terms) : null;
      return { ...withEndpoint(one, { confirmedBy, walletUntil }, { listed: [...listed] }), asked: given, live: shown };
    },
  },
  "honest, paid elsewhere for long, or to its owner lately": {
    isHostile: false,
    of: (one) => {
      const { random, facts, asked, price, thief } = one;
      const [days, receiver] = pick(random, [[between(random, 31, 300), thief] as const, [1, facts.owner!] as const]);
      const terms = [accept(receiver, price)];
      const walletUntil = receiver === thief ? ago(days * DAY) : null;
      const moved = withEndpoint(one, { walletUntil }, { listed: terms });
      return { ...moved, asked: pick(random, [asked, { ...asked, terms }]), live: null };
    },
  },
  dead: {
    isHostile: true,
    of: (one) => {
      const silent = between(one.random, 1, 90) * DAY;
      const answeredAt = one.random() < 0.8 ? ago(silent + HOUR) : null;
      const found = withEndpoint(one, { answeredAt, silentSince: ago(silent), checkedAt: ago(HOUR) });
      return { ...found, live: found.live && live(null) };
    },
  },
  impostor: {
    isHostile: true,
    of: (one) => {
      const { random, facts, asked, price, thief } = one;
      const agent = `erc8004-${thief}`;
      const mine = { agent, wallet: thief, owner: thief, others: [facts.agent] };
      const pays = { ...asked, agent, terms: [accept(thief, price)] };
      return pick(random, [
        // It names the endpoint of another, or none, or has its own with no wallet, or with payments by its own side only.
        { ...withEndpoint(one, { confirmedBy: null }, mine), asked: pays, live: null },
        { ...withFacts(one, { ...mine, endpoints: [], listed: [] }), asked: pays, live: null },
        {
          ...withFacts(one, { wallet: null, income: null, listed: [accept(thief, price)] }),
          asked: { ...asked, terms: [accept(thief, price)] },
          live: null,
        },
        {
          ...withFacts(one, {
            ...mine,
            others: [],
            listed: [accept(thief, price)],
            income: { computedAt: ago(HOUR), voices: [] },
          }),
          asked: pays,
          live: null,
        },
      ]);
    },
  },
  new: {
    isHostile: false,
    of: (one) =>
      one.random() < 0.5
        ? withFacts(one, { heldSince: ago(between(one.random, 0, 13) * DAY), income: null })
        : withEndpoint(
            one,
            { answeredAt: null, checkedAt: null },
            { income: { computedAt: ago(HOUR), voices: ["5000"] } },
          ),
  },
  slow: { isHostile: false, of: ({ inputs }) => ({ ...inputs, live: live(null) }) },
  flapping: {
    isHostile: false,
    of: (one) => {
      const silent = pick(one.random, [1, 5, 7, 48, 600]) * HOUR;
      return withEndpoint(one, {
        uptime: 1 - one.random() / 5,
        answeredAt: ago(silent + HOUR),
        silentSince: ago(silent),
        checkedAt: ago(HOUR),
      });
    },
  },
  unknown: { isHostile: true, of: ({ inputs }) => ({ ...inputs, facts: null }) },
} satisfies Record<string, Kind>;
export type KindName = keyof typeof KINDS;

/** @param seed from 1 on; `now` of all is the same */
export const planted = (kind: KindName, seed: number): PreflightInputs => KINDS[kind].of(honestCase(seed));
