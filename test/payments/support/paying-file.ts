/** One world of payments for a whole test file, what may go wrong in it, and what its tests look at. */
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type {
  Chain,
  Facilitator,
  FacilitatorOutcome,
  FacilitatorVerdict,
  PaymentOrder,
} from "../../../clients/ports.ts";
import { testLog } from "../../../harness/log.ts";
import { paymentSweep } from "../../../workers/payments/payment-sweep.ts";
import { plantAgents } from "../../api/support/agents.ts";
import { refusal } from "../../api/support/api.ts";
import { MINT_PRICE, type PaidApi, type PaidApiOptions, type Paying, startPaying } from "./paying.ts";

/** What happens in the place of a part of the service, until the test that wanted it has ended. */
export type Trouble = {
  verify?: (order: PaymentOrder, real: Facilitator) => Promise<FacilitatorVerdict>;
  settle?: (order: PaymentOrder, real: Facilitator) => Promise<FacilitatorOutcome>;
  /** Calls of a node. */
  node?: Partial<Chain>;
  fault?: (point: string) => void;
  /** Milliseconds that the service's clock is ahead. */
  ahead?: number;
};

/** The reports of these can be bought. */
const REPORTED = [
  { tokenId: 900, name: "Grace", score: 40 },
  { tokenId: 901, name: "Hedy", score: 41 },
];

/**
 * A world and its API, there from the file's first test on.
 * @param options of the API; its facilitator, clock, chain and faults follow `trouble` unless given here
 */
export function payingForFile(options: (world: Paying) => PaidApiOptions | Promise<PaidApiOptions> = () => ({})) {
  const world = {} as Paying;
  const api = {} as PaidApi;
  const trouble: Trouble = {};
  beforeAll(async () => {
    Object.assign(world, await startPaying());
    Object.assign(api, await world.api(troubled(world, trouble, await options(world))));
    await plantAgents(api.pool, REPORTED);
  });
  afterEach(() => {
    for (const name of Object.keys(trouble) as (keyof Trouble)[]) delete trouble[name];
  });
  afterAll(async () => {
    await api.close?.();
    await world.stop?.();
  });
  const spent = (payer: Parameters<Paying["spent"]>[0], had?: bigint) => world.spent(payer, had);
  /** How often a wallet was registered. */
  const mintsOf = async ({ address }: { address: string }) =>
    (await api.mints()).filter(({ wallet }) => wallet === address.toLowerCase()).length;
  return {
    world,
    api,
    trouble,
    spent,
    mintsOf,
    /** The states of all payments, oldest first. */
    states: async () => (await api.payments()).map(({ state }) => state),
    /** As if every request had gone long ago. */
    forget: () =>
      api.pool.query("update offchain.payment set updated_at = updated_at - interval '1 hour', lease_until = null"),
    sweep: (more: object = {}) => sweepPayments(world, api, more),
    /** Pays for a registration while the facilitator's answer does not come, and goes on not to come. */
    async expectLeftOpen(...paying: Parameters<PaidApi["pay"]>): Promise<void> {
      trouble.settle = silent;
      expect(await api.impatiently(() => api.pay(...paying))).toMatchObject(refusal(503, "payment_pending"));
    },
    /** Pays for a registration as often as it takes: it is there, and was paid for once. */
    async expectServedOnce(...[payer, ...paying]: Parameters<PaidApi["pay"]>): Promise<void> {
      expect((await api.pay(payer, ...paying)).status).toBe(201);
      expect([await spent(payer), await mintsOf(payer)]).toEqual([MINT_PRICE, 1]);
    },
    /** The service works again after a fault of its own. */
    recovers(): void {
      trouble.fault = undefined;
      api.errors.length = 0;
    },
  };
}

/** One run of the sweeper over the payments of an API. @param more of its context, in place of the usual */
export const sweepPayments = ({ chain, config }: Paying, { pool }: PaidApi, more: object = {}) => {
  const context = { db: pool, chain, config, log: testLog(), clock: () => new Date(), fault() {} };
  return paymentSweep.run({ ...context, ...more } as never, {});
};

/** Options of an API whose parts ask `trouble` first. */
export const troubled = (world: Paying, trouble: Trouble, options: PaidApiOptions): PaidApiOptions => ({
  chain: troubledChain(world.chain, trouble),
  now: () => Date.now() + (trouble.ahead ?? 0),
  facilitator: (real) => ({
    verify: (order) => (trouble.verify ? trouble.verify(order, real) : real.verify(order)),
    settle: (order) => (trouble.settle ? trouble.settle(order, real) : real.settle(order)),
  }),
  ...options,
  deps: { fault: (point) => trouble.fault?.(point), ...options.deps },
});

/** A node of which each call asks `trouble` first. */
export function troubledChain(chain: Chain, trouble: Trouble): Chain {
  const call = (name: string, usual: (...asked: unknown[]) => unknown, asked: unknown[]) =>
    ((trouble.node as Record<string, typeof usual> | undefined)?.[name] ?? usual)(...asked);
  return Object.fromEntries(
    Object.entries(chain).map(([name, usual]) => [
      name,
      typeof usual === "function" ? (...asked: unknown[]) => call(name, usual as never, asked) : usual,
    ]),
  ) as Chain;
}

/** A process that dies at a point. */
export const diesAt =
  (point: string, words = "killed") =>
  (reached: string) => {
    if (reached === point) throw new Error(words);
  };
/** A facilitator whose answer does not come in time. */
export const silent = async (): Promise<FacilitatorOutcome> => ({ kind: "unknown", cause: new Error("timeout") });
/** A facilitator that does not want to. */
export const unwilling = async (): Promise<FacilitatorOutcome> => ({ kind: "refused", reason: "whatever" });
