/** What happens in a load of payments, drawn from its seed: who pays how, what goes wrong meanwhile, and when. */
import { pick, randomOf, weighted, weightedName } from "../random.ts";
import type { NodeMode } from "../troubled-node.ts";

type Variant = { weight: number; needs?: "signed" | "authorized" };
const variants = <Name extends string>(of: Record<Name, Variant>) => of;
/**
 * What is special about a payment, and how often it is drawn. `signed`: it needs something signed that has not paid yet, for a
 * transfer that is not presented until it counts is a gift. `authorized`: an authorization, which others can use or its
 * payer can take back.
 */
const VARIANTS = variants({
  /** Nothing: presented until it is served. */
  plain: { weight: 46 },
  /** Several copies at once, on both APIs. */
  copies: { weight: 12 },
  /** Once served, presented by another wallet for something else. */
  stolen: { weight: 8 },
  /** Changed after it was signed, or signed for other terms. */
  tampered: { weight: 8, needs: "signed" },
  /** One unit is all its wallet has: the price, and copies of the same number that pay a friend of it one unit. */
  "reused-number": { weight: 6, needs: "authorized" },
  /** A stranger settles it at the moment we do. */
  "front-run": { weight: 8, needs: "authorized" },
  /** The money is moved away between the check and the settlement. */
  drained: { weight: 4, needs: "authorized" },
  /** The payer cancels it between the check and the settlement. */
  cancelled: { weight: 4, needs: "authorized" },
  /** Two payments of one wallet that holds the price of one. */
  shared: { weight: 4, needs: "authorized" },
  /** Asked once, briefly, and never again. */
  abandoned: { weight: 6, needs: "signed" },
});
export type PaymentVariant = keyof typeof VARIANTS;
export const PAYMENT_VARIANTS = Object.keys(VARIANTS) as PaymentVariant[];

/** What a payment of this kind needs; undefined: any way to pay will do. */
export const needsOf = (variant: PaymentVariant) => VARIANTS[variant].needs;

export type PlannedPayment = {
  index: number;
  buys: "mint" | "report";
  /** x402 version 2 or 1, a transfer's hash, or MPP: with the service sending the transaction, or its payer. */
  by: "v2" | "v1" | "hash" | "mpp-pull" | "mpp-push";
  variant: PaymentVariant;
  /** Name of the wallet that pays. */
  payer: string;
  /** Draws for its own details. */
  random: () => number;
};

export type Trouble =
  | { kind: "kill"; part: "api" | "api-2" | "workers"; next: string | undefined }
  /** `depth` blocks are replaced by empty ones. */
  | { kind: "reorg"; depth: number }
  /** Of which chain: that of x402 and transfers, or that of MPP. */
  | { kind: "node"; of: "base" | "tempo"; mode: NodeMode; ms: number }
  | { kind: "facilitator"; mode: FacilitatorMode; ms: number };

/** Settlements: done without an answer, late, not done without an answer, answered with rubbish, claimed but not done. */
export type FacilitatorMode = "lost" | "slow" | "down" | "rubbish" | "liar";

export type Plan = { payments: PlannedPayment[]; troubles: { after: number; trouble: Trouble }[] };

const BY_WEIGHT = PAYMENT_VARIANTS.map((variant) => [variant, VARIANTS[variant].weight] as const);
/** One trouble for every third payment. */
const PAYMENTS_PER_TROUBLE = 3;

/** @param faults points at which the parts may kill themselves, by part */
export function drawPlan(
  seed: number,
  payments: number,
  faults: { api: readonly string[]; workers: readonly string[] },
): Plan {
  const random = randomOf(seed);
  const draw = <T>(from: readonly T[]): T => pick(random, from);
  const planned: PlannedPayment[] = [];
  while (planned.length < payments) {
    const variant = weighted(random, BY_WEIGHT);
    const needs = needsOf(variant);
    const signed = needs !== undefined;
    const authorized = random() < 0.7 ? "v2" : "v1";
    const anyhow = signed || random() < 0.5 ? "mpp-pull" : "mpp-push";
    const byMpp = needs !== "authorized" && random() < 0.25;
    const by = byMpp ? anyhow : signed || random() < 0.7 ? authorized : "hash";
    const buys = random() < 0.6 ? "mint" : "report";
    const payer = `payer ${planned.length}`;
    for (let i = 0; i < (variant === "shared" ? 2 : 1); i++)
      planned.push({
        index: planned.length,
        buys,
        by,
        variant,
        payer,
        random: randomOf(Math.floor(random() * 2 ** 31)),
      });
  }
  const troubles: Plan["troubles"] = [];
  for (let after = 2; after < payments; after += PAYMENTS_PER_TROUBLE) troubles.push({ after, trouble: trouble() });
  return { payments: planned, troubles };

  function trouble(): Trouble {
    const kind = weightedName(random, { kill: 4, reorg: 3, node: 3, facilitator: 4 });
    const ms = 200 + Math.floor(random() * 1_000);
    if (kind === "reorg") return { kind, depth: 1 + Math.floor(random() * 2) };
    if (kind === "node")
      return { kind, of: draw(["base", "base", "tempo"]), mode: draw(["error", "cut", "lost", "slow"]), ms };
    if (kind === "facilitator") return { kind, mode: draw(["lost", "slow", "down", "rubbish", "liar"]), ms };
    const part = draw(["api", "api-2", "workers"] as const);
    const points = part === "workers" ? faults.workers : faults.api;
    return { kind, part, next: random() < 0.6 ? draw(points) : undefined };
  }
}
