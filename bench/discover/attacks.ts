/**
 * What a higher place in the search costs: each way an attacker has, played for fixed questions against the planted
 * directory and taken back. The places of the attacker's best agent are compared with those of an honest newcomer with the
 * same text, and with those of the same attack without the rule against it.
 */
import type pg from "pg";
import { discover } from "../../db/discovery/discover.ts";
import { median, table } from "../../harness/figures.ts";
import { CENTS } from "../reviews/price.ts";
import { FAMOUS, type World } from "./agents.ts";
import { Arena, NOT_SHOWN, type Registration } from "./arena.ts";
import { mean } from "./judge.ts";
import { QUESTIONS } from "./questions.ts";

/**
 * Assumptions: Base at 0.02 gwei with its share of data on Ethereum, ether at $3,000; gas of a registration and a change of
 * its URI in the ERC-8004 registry, and of a rating. A person whom the exchange has identified writes one for money, at the
 * price of `npm run bench -- reviews`; a host is at hand.
 */
const ASSUMED = {
  gwei: 0.02,
  ether: 3_000,
  register: 180_000,
  change: 50_000,
  rate: 120_000,
  bribe: CENTS.bribe / 100,
} as const;
const dollars = (gas: number) => gas * ASSUMED.gwei * 1e-9 * ASSUMED.ether;
const [REGISTER, CHANGE, RATE] = [dollars(ASSUMED.register), dollars(ASSUMED.change), dollars(ASSUMED.rate)];

const DAY_MS = 86_400_000;
/** Questions that each way is played for. */
const ASKED = 12;
/** One question, and the honest agent in its first place. */
type Target = {
  q: string;
  victim: Required<Pick<Registration, "name" | "description" | "offers">> & { id: number; hosts: string[] };
};

type Way = {
  /** Dollars of what is done beyond the newcomer's registration; nothing unless given. */
  costs?: number;
  /** What is asked; by default the question. */
  asks?(target: Target): string;
  /** What the attacker has without the attack; by default a newcomer. */
  before?(arena: Arena, target: Target): Promise<number[]>;
  /** @returns the attacker's agents; an agent that is only registered is given as its text */
  play(arena: Arena, target: Target): Promise<number[]> | Registration;
  /** Takes the rule against it away. */
  without?(arena: Arena, ids: number[], target: Target): Promise<void>;
};

/** An honest newcomer that says exactly what is asked for. */
const newcomer = (q: string, more: Partial<Registration> = {}): Registration => ({
  name: "Corbel Desk",
  description: `Corbel Desk is for ${q}. It answers within a minute and keeps what it is given to itself.`,
  offers: [{ kind: "skill", name: q, description: `Does ${q} for whoever asks, one piece of work at a time.` }],
  ...more,
});
const asNewcomer = async (arena: Arena, { q }: Target) => [await arena.agent(newcomer(q))];
const NO_COPY = "copy = false, text_keys = '{}', sibling_key = null, simhash = null";
const priced = (q: string, prices: readonly (readonly [number, string])[]) =>
  newcomer(q, { offers: prices.map(([priceUsd, name]) => ({ kind: "resource" as const, name, priceUsd })) });
const underFiveCents = ({ q }: Target) => `${q} under 5 cents`;
const famousName = ({ q }: Target) => FAMOUS[q.length % FAMOUS.length]!.name;

/** A newcomer with `number` ratings. @param dollarsEach price of one rating */
const ratings = (
  number: number,
  dollarsEach: number,
  client: (i: number) => { wallet: string; human?: boolean },
): Way => ({
  costs: number * dollarsEach,
  async play(arena, { q }) {
    const id = await arena.agent(newcomer(q));
    const clients = Array.from({ length: number }, (_, i) => client(i));
    await arena.ratings(id, clients);
    return [id];
  },
  without: (arena, ids) => arena.pretend(ids, { feedback: 100 }),
});

const WAYS: Record<string, Way> = {
  "200 ratings by fresh wallets": ratings(200, RATE, (i) => ({ wallet: `0xfresh${i}` })),
  "ratings by 5 persons, bribed": ratings(5, RATE + ASSUMED.bribe, (i) => ({ wallet: `0xperson${i}`, human: true })),
  "1,000 uses that its registry counts, its own": {
    async play(arena, { q }) {
      const id = await arena.agent(newcomer(q));
      await arena.tx.query("update offchain.directory set uses = 1000, used_at = $2 where id = $1", [id, arena.now]);
      return [id];
    },
    without: (arena, ids) => arena.pretend(ids, { liveness: 100 }),
  },
  "the text of the first hit, stolen": {
    play: (_, { victim: { id: __, hosts: ___, ...text } }) => ({ ...text, name: "Corbel Desk" }),
    without: (arena, ids) => arena.pretend(ids, { text: 100 }, NO_COPY),
  },
  "an agent of 900 days, bought, takes a new text": {
    costs: CHANGE,
    play: async (arena, { q }) => [await arena.bought(await arena.agent(newcomer(q, { ageDays: 900 })))],
    without: (arena, ids) => arena.pretend(ids, { age: 100 }),
  },
  "an agent of 900 days, its key bought, takes a new text": {
    costs: CHANGE,
    play: (_, { q }) => newcomer(q, { ageDays: 900 }),
  },
  "an agent of 900 days takes the text of the first hit": {
    costs: CHANGE,
    before: async (arena, { q }) => [await arena.agent(newcomer(q, { ageDays: 900 }))],
    async play(arena, { victim: { id: _, hosts: __, ...text } }) {
      const id = await arena.agent({ name: "Corbel Desk", description: "Waits.", ageDays: 900 });
      await arena.write([id], new Date(arena.world.now - DAY_MS));
      await arena.tx.query("update offchain.directory set description = $2 where id = $1", [id, text.description]);
      await arena.offer(id, text.offers);
      return [id];
    },
    async without(arena, ids, { victim }) {
      await arena.pretend(ids, { text: 100 }, "copy = false");
      await arena.pretend([victim.id], { text: 0 }, "copy = true");
    },
  },
  "a famous name, taken (asked by it)": {
    asks: famousName,
    play: (_, target) => ({ ...newcomer(target.q), name: famousName(target) }),
    without: (arena, ids) => arena.pretend(ids, {}, "name_key = null"),
  },
  "a famous name, taken by 40 (asked by it)": {
    costs: 39 * REGISTER,
    asks: famousName,
    async play(arena, target) {
      const ids: number[] = [];
      for (let i = 0; i < 40; i++) {
        const of = `${target.q} ${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}`;
        ids.push(await arena.agent({ ...newcomer(of), name: famousName(target), owner: `0xsybil${i}` }));
      }
      return ids;
    },
    without: (arena, ids) => arena.pretend(ids, {}, "name_key = null"),
  },
  "a famous name, disguised (asked by it)": {
    asks: famousName,
    play: (_, target) => ({ ...newcomer(target.q), name: `${famousName(target)} Official` }),
    without: (arena, ids) => arena.pretend(ids, { text: 100 }, "name_key = null, imitation = false, disguised = false"),
  },
  "endpoints of the first hit, borrowed": {
    async play(arena, { q, victim }) {
      const id = await arena.agent(newcomer(q, { services: [{ name: "A2A", endpoint: victim.hosts[0]! }] }));
      await arena.endpoints(id, victim.hosts);
      return [id];
    },
  },
  "60 tags with the question's words beside its text": {
    play(_, { q }) {
      const tags = Array.from({ length: 60 }, (_, i) => `${q} ${"abcdefghij"[i % 10]}${i}`);
      const { offers = [], ...rest } = newcomer(q);
      return { ...rest, offers: [{ ...offers[0]!, tags }] };
    },
    without: (arena, ids) => arena.pretend(ids, { text: 100 }, "words = setweight(words, 'B')"),
  },
  "the question as its name": {
    play: (_, { q }) => newcomer(q, { name: q }),
  },
  "10 services named after its words beside its text": {
    play(_, { q }) {
      const words = q.split(" ");
      const services = Array.from({ length: 10 }, (_, i) => ({
        name: `${words[i % words.length]} ${"abcdefghij"[i]}`,
        endpoint: "https://corbel.example",
      }));
      return newcomer(q, { services });
    },
    without: (arena, ids) => arena.pretend(ids, {}, "words = setweight(words, 'B')"),
  },
  "20 agents that say the same in turn": {
    costs: 19 * REGISTER,
    async play(arena, { q }) {
      const ids: number[] = [];
      for (let i = 0; i < 20; i++)
        ids.push(
          await arena.agent(newcomer(q, { name: `Corbel ${String.fromCharCode(97 + i)}x`, owner: `0xsybil${i}` })),
        );
      return ids;
    },
    without: (arena, ids) => arena.pretend(ids, { text: 100 }, `${NO_COPY}, name_key = null`),
  },
  "a dummy for $0.000001 beside $5 (asked under 5 cents)": {
    asks: underFiveCents,
    before: async (arena, { q }) => [await arena.agent(priced(q, [[5, q]]))],
    play: (_, { q }) =>
      priced(q, [
        [5, q],
        [0.000001, "ping"],
      ]),
    // The least price of all decides where the others have none.
    async without(arena, ids) {
      await arena.tx.query(
        "update offchain.offer set price_usd = null where directory_id = any($1) and price_usd > 1",
        [ids],
      );
    },
  },
};

/** Places; `first` of the attacker's agents stand among the first ten. */
type Played = { before: number; after: number; without: number | null; first: number };

async function played(arena: Arena, way: Way, target: Target): Promise<Played> {
  const q = way.asks?.(target) ?? target.q;
  const taken = async <T>(work: () => Promise<T>): Promise<T> => {
    await arena.tx.query("savepoint act");
    const result = await work();
    await arena.tx.query("rollback to savepoint act");
    return result;
  };
  const before = await taken(async () => {
    const ids = await (way.before ?? asNewcomer)(arena, target);
    await arena.write(ids);
    return (await arena.places(q, ids)).place;
  });
  return taken(async () => {
    const made = await way.play(arena, target);
    const ids = Array.isArray(made) ? made : [await arena.agent(made)];
    await arena.write(ids);
    const { place: after, first } = await arena.places(q, ids);
    if (!way.without) return { before, after, first, without: null };
    await way.without(arena, ids, target);
    return { before, after, first, without: (await arena.places(q, ids)).place };
  });
}

async function targetsOf(arena: Arena, most: number): Promise<Target[]> {
  const asked = QUESTIONS.filter(({ kind, half }) => kind === "plain" && half === "dev");
  const targets: Target[] = [];
  for (const { q } of asked) {
    const { hits } = await discover(arena.tx, { q, limit: 10 }, arena.now);
    for (const { directoryId: id } of hits) {
      const { rows } = await arena.tx.query(
        `select d.name, d.description, array(select url from offchain.offer_source s where s.directory_id = d.id and status = 'read') as hosts,
           coalesce((select json_agg(json_build_object('kind', o.kind, 'name', o.name, 'description', o.description, 'tags', o.tags) order by o.kind, o.position)
             from offchain.offer o where o.directory_id = d.id), '[]') as offers
         from offchain.directory d where d.id = $1`,
        [id],
      );
      const { name, description, hosts, offers } = rows[0];
      if (hosts.length === 0 || offers.length === 0) continue;
      targets.push({ q, victim: { id, name, description, hosts, offers } });
      break;
    }
    if (targets.length === most) break;
  }
  return targets;
}

/** A way with what came of it, for each question. */
export type Outcome = { name: string; costs: number; all: Played[] };

/** Plays each way for each question, and leaves nothing behind. */
export async function playAttacks(pool: pg.Pool, world: World, questions = ASKED): Promise<Outcome[]> {
  const tx = await pool.connect();
  try {
    await tx.query("begin");
    const arena = new Arena(tx, world);
    const targets = await targetsOf(arena, questions);
    const outcomes: Outcome[] = [];
    for (const [name, way] of Object.entries(WAYS)) {
      const all: Played[] = [];
      for (const target of targets) all.push(await played(arena, way, target));
      outcomes.push({ name, costs: way.costs ?? 0, all });
    }
    return outcomes;
  } finally {
    await tx.query("rollback");
    tx.release();
  }
}

/** One line for each way, and what is assumed. */
export function attackPrices(outcomes: readonly Outcome[]): string {
  const { gwei, ether, bribe } = ASSUMED;
  return [
    table(["", "newcomer", "attack", "rule off", "among 10", "gained", "cost", "$ a place"], outcomes.map(cellsOf)),
    `medians of ${outcomes[0]!.all.length} questions, ${NOT_SHOWN} is not shown; gas at ${gwei} gwei, ether at $${ether}, a person's rating $${bribe}; a newcomer's registration $${REGISTER.toFixed(4)}`,
  ].join("\n");
}

function cellsOf({ name, costs, all }: Outcome): (string | number)[] {
  const of = (pick: (one: Played) => number) => median(all.map(pick));
  const gained = of((one) => one.before - one.after);
  return [
    ...[name, of(({ before }) => before), of(({ after }) => after)],
    all[0]?.without === null ? "–" : of(({ without }) => without!),
    mean(all.map(({ first }) => first))!.toFixed(1),
    ...[gained, `$${costs.toFixed(2)}`, gained > 0 ? `$${(costs / gained).toFixed(4)}` : "–"],
  ];
}
