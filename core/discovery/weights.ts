/** How agents are ranked: relevance of the text × trust, with the weights of both. */
import type { ReviewSummary } from "../reviews/view.ts";
import type { Factor, FactorKey } from "./query.ts";

/** What is known about an agent, as the factors read it. */
export type RankedFacts = {
  /** 0 to 100, with the cap of unclaimed foreign agents. */
  cred: number;
  /** Accounts it has proved under its present owner; foreign agents have none. */
  proofs: number;
  /** Its registry has proved its wallet, an own agent's under its present owner. */
  walletProven: boolean;
  /** Sentences about proofs that do not count, and about what its cred shares with other agents (core/agents/caveats.ts). */
  caveats: { proofs: readonly string[]; cred: readonly string[] };
  /** Of its endpoints: 0 (silent for long) to 1, and a sentence; null while nothing is known. One of endpoints that are only `named` counts nothing. */
  liveness: { value: number; says: string; named: boolean } | null;
  /** Times it was used, as its registry counts. */
  uses: number;
  /** Days since its last known use; null when none is known. */
  usedDaysAgo: number | null;
  /** What its reviews are worth; null in registries without reviews, and before they were weighed. */
  reviews: ReviewSummary | null;
  /** Days since its registration; null when its registry does not say. */
  ageDays: number | null;
  /** Days since its token came to its present owner; null where it was never transferred, or the time is not known. */
  heldDays: number | null;
  /** Of its text and its name (core/discovery/text-quality.ts). */
  textQuality: number;
  /** Another agent had the same text before it. */
  copy: boolean;
};

type Rule = {
  key: FactorKey;
  /** The share of its trust that an agent loses at value 0. */
  weight: number;
  /** @returns 0 to 1 */
  value(known: RankedFacts): number;
  says(known: RankedFacts): string;
};

const plural = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

/** The value of the factor `feedback` where nothing is known. */
const UNREVIEWED = 0.4;

/** trust = product over the factors of 1 - weight × (1 - value). */
const FACTORS: readonly Rule[] = [
  {
    key: "cred",
    weight: 0.75,
    value: ({ cred }) => cred / 100,
    says: ({ cred, caveats }) => [`Its cred is ${cred} of 100.`, ...caveats.cred].join(" "),
  },
  {
    key: "proofs",
    weight: 0.25,
    value: ({ proofs, walletProven }) => Math.min(1, (walletProven ? 0.5 : 0) + 0.25 * Math.min(2, proofs)),
    says: ({ proofs, walletProven, caveats }) =>
      [
        `Its wallet is ${walletProven ? "" : "not "}proved, and ${proofs === 0 ? "no account" : plural(proofs, "account")} of other platforms.`,
        ...caveats.proofs,
        ...(caveats.proofs.length > 0 ? ["That counts here once it is proved again."] : []),
      ].join(" "),
  },
  {
    key: "liveness",
    weight: 0.45,
    value: ({ liveness, uses, usedDaysAgo }) => {
      const used = usedDaysAgo === null ? 0 : Math.max(0, 1 - usedDaysAgo / 60) * Math.min(1, Math.log10(1 + uses) / 3);
      // Uses are the registry's count, and an agent can use itself: they count less than an endpoint that answers.
      return (liveness && !liveness.named ? 0.7 * liveness.value : 0.3) + 0.3 * used;
    },
    says: ({ liveness, uses, usedDaysAgo }) =>
      [
        liveness?.says ?? "Its endpoints were not asked yet.",
        usedDaysAgo === null
          ? "No use is known."
          : `It was used ${plural(uses, "time")}, last ${plural(Math.floor(usedDaysAgo), "day")} ago.`,
      ].join(" "),
  },
  {
    key: "feedback",
    weight: 0.4,
    // Where nothing is known 0.4; the narrower the interval, the nearer to the adjusted value. The mean of all counts nothing.
    value: ({ reviews }) =>
      reviews === null || reviews.adjusted === null
        ? UNREVIEWED
        : UNREVIEWED +
          (1 - (reviews.interval.high - reviews.interval.low) / 100) * (reviews.adjusted / 100 - UNREVIEWED),
    says: ({ reviews }) =>
      reviews === null
        ? "No review of it counts here."
        : reviews.adjusted === null
          ? "None of its reviewers has proof behind it."
          : `Its reviews are worth ${Math.round(reviews.adjusted)} of 100 by ${plural(reviews.voices, "independent voice")}; their plain mean is ${Math.round(reviews.raw!)}.`,
  },
  {
    key: "age",
    weight: 0.3,
    // Its years under another owner are for sale.
    value: ({ ageDays, heldDays }) =>
      ageDays === null ? 0.2 : 1 - Math.exp(-Math.max(0, Math.min(ageDays, heldDays ?? ageDays)) / 120),
    says: ({ ageDays, heldDays }) =>
      ageDays === null
        ? "Its age is not known."
        : `It was registered ${plural(Math.floor(ageDays), "day")} ago${
            heldDays === null ? "" : `, and came to its present owner ${plural(Math.floor(heldDays), "day")} ago`
          }.`,
  },
  {
    key: "text",
    weight: 0.97,
    value: ({ textQuality, copy }) => (copy ? 0 : textQuality),
    says: ({ textQuality, copy }) =>
      copy
        ? "Another agent had the same text before it."
        : textQuality > 0.8
          ? "Its text is its own."
          : "Its text is mostly keywords or repetitions, or its name is disguised.",
  },
];

/** Values of the factors in percent, in the order of `FACTORS`: what a document stores. */
export const factorValues = (known: RankedFacts): number[] =>
  FACTORS.map((rule) => Math.round(100 * rule.value(known)));

/** Trust in thousandths. @param values from `factorValues` */
export const trustOf = (values: readonly number[]): number =>
  Math.round(1000 * FACTORS.reduce((trust, { weight }, i) => trust * (1 - weight * (1 - values[i]! / 100)), 1));

const { weight: TEXT_WEIGHT } = FACTORS.find(({ key }) => key === "text")!;
/** The trust of a copy by all but its text, in the unit of its trust. */
export const besideText = (trust: number): number => trust / (1 - TEXT_WEIGHT);

/** A text of this value or less, in percent, is stuffed: nearly all of it is keywords or repetitions, or its name hides something. */
export const STUFFED_VALUE = 10;
/** Its place among the factors, from 1 on, as Postgres counts. */
export const TEXT_FACTOR = 1 + FACTORS.findIndex(({ key }) => key === "text");

/** The factors of a hit: stored values, with sentences of what is known now. */
export const explained = (values: readonly number[], known: RankedFacts): Factor[] =>
  FACTORS.map(({ key, weight, says }, i) => ({ key, weight, value: values[i]! / 100, says: says(known) }));

/** What a word is worth by where it was found: the classes of words of a document (db/schema/discovery.ts). */
export const FIELD_WORTH = { A: 1, B: 0.95, C: 0.8, D: 0.5 } as const;
export const SYNONYM_WORTH = 0.65;
export type WordClass = keyof typeof FIELD_WORTH;

/** Trust decides between agents of like relevance: rank = relevance × trust ^ TRUST_POWER. */
export const TRUST_POWER = 0.75;

/** A missing word costs more than its share: three of four words are not three quarters of an answer. */
const COVERAGE_POWER = 2.5;
/** What remains of the relevance where a share of the words is there. */
export const covered = (share: number): number => share ** COVERAGE_POWER;
/** Texts of one trade are all near to one another, so small differences of nearness decide. */
const NEARNESS_POWER = 4;
/** What remains of the relevance of an agent that does not meet what words of the query ask for. */
const UNMET_PREFERENCE = 0.3;

/**
 * Relevance, 0 to 1.
 * @param needs for each need of the query its weight (idf), and what it is worth where it was found; 0: not at all
 * @param unmet number of preferences that are not met
 */
export function relevanceOf(needs: readonly { weight: number; worth: number }[], unmet: number): number {
  let [all, found] = [0, 0];
  for (const { weight, worth } of needs) {
    all += weight;
    found += weight * worth;
  }
  return covered(all === 0 ? 1 : found / all) * UNMET_PREFERENCE ** unmet;
}

/**
 * Relevance of an agent that is found by meaning, 0 to 1.
 * @param nearness 0 to 1 (core/discovery/meaning.ts) @param unmet number of preferences that are not met
 */
export const meaningRelevance = (nearness: number, unmet: number): number =>
  nearness ** NEARNESS_POWER * UNMET_PREFERENCE ** unmet;

/** Weight of a word that is in `documents` of `total` documents. */
export const idf = (documents: number, total: number): number =>
  Math.log(1 + (Math.max(total, documents) + 0.5) / (documents + 0.5));
