/** Parses a question in natural language into the arguments of a tool, and summarises an answer in text. The question is untrusted. */

import { TIERS } from "../../core/cred/tiers.ts";
import { REGISTRIES, type RegistryRow } from "../../core/directory/registries.ts";
import type { jobStatsView } from "../../core/income/view.ts";
import type { PreflightView } from "../../core/preflight/view.ts";
import { quoted, WORDS_ARE_DATA } from "../../core/quoted.ts";
import type { ReviewSummary } from "../../core/reviews/view.ts";
import type { ShortHit } from "../../core/views/found-in-short.ts";
import type { CredAdvice } from "../schemas/cred.ts";
import type { AgentPayments } from "../schemas/evidence.ts";

type Question = { text: string; data: Record<string, unknown> };

/** The arguments of a tool for a question; null when the tool does not fit it. */
export type QuestionReading = (question: Question) => Record<string, unknown> | null;

const MAX_TEXT = 2_000;

/** Joins texts to one line of at most 2,000 characters. */
export const plainText = (texts: readonly string[]): string =>
  texts.join(" ").slice(0, MAX_TEXT).replaceAll(/\s+/g, " ").trim();

const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
NUMBERS.push("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen");
NUMBERS.push("twenty");
const NUMBER = `\\d{1,3}|${NUMBERS.join("|")}`;
const numberOf = (word: string): number => (/^\d/.test(word) ? Number(word) : NUMBERS.indexOf(word.toLowerCase()));

const WALLET = /\b0x[0-9a-f]{40}\b/i;
const TOKEN = /(?:\b(?:agent|token|number|no\.?|id|helixa-)\s?#?|#)(\d{1,16})\b/i;
/** A token id or wallet that the text names. */
const refIn = (text: string): string | null => WALLET.exec(text)?.[0] ?? TOKEN.exec(text)?.[1] ?? null;

const QUOTED = /["“]([^"“”]{1,100})["”]/;
const NAMED = /\b(?:named|called|name is)\s+(.{1,100})/i;
const OF_WHOM =
  /\b(?:who is|who's|cred (?:score )?of|score of|reputation of|trust|find|search for|look up|about)\s+(.{1,100})/i;
const NAME_ENDS = /[.,;:?!]|\s(?:with|and|or|that|who|whose|which|having|on|in|by|from|for|to|is|are|has)\b/i;
/** Words that the patterns take for a name and that are not one. */
const NO_NAMES = new Set(
  "a an all any every some me the this these that most more new newest best top good verified unverified trusted trustworthy x402 agent agents one ones token tokens wallet wallets receipt receipts report it them you us i".split(
    " ",
  ),
);
const isNoName = (text: string) =>
  text
    .toLowerCase()
    .split(" ")
    .every((word) => NO_NAMES.has(word));

function nameIn(text: string): string | null {
  const quoted = QUOTED.exec(text)?.[1]?.trim();
  if (quoted) return quoted;
  for (const pattern of [NAMED, OF_WHOM]) {
    const rest = pattern.exec(text)?.[1];
    if (rest === undefined) continue;
    const name = rest
      .split(NAME_ENDS, 1)[0]!
      .replace(/^(?:the )?agents?\s+/i, "")
      .trim();
    if (name !== "" && name.length <= 64 && !isNoName(name)) return name;
  }
  return null;
}

function narrowing(text: string): Record<string, unknown> {
  const least = new RegExp(`\\b(?:at least|above|over|more than|minimum|min)\\s+(${NUMBER})\\b`, "i").exec(text)?.[1];
  const tier = TIERS.find(({ key }) => new RegExp(`\\b${key}\\b`, "i").test(text))?.key;
  return {
    ...(/\b(?:unverified|not verified)\b/i.test(text)
      ? { verified: false }
      : /\bverified\b/i.test(text) && { verified: true }),
    ...(least !== undefined && numberOf(least) <= 100 && { minCred: numberOf(least) }),
    ...(tier && { tier }),
  };
}

/** The number of agents in the text. */
function limitIn(text: string): { limit?: number } {
  const [, before, after] =
    new RegExp(`\\b(${NUMBER})\\s+(?:best|top|agents?|newest)\\b|\\b(?:best|top|first)\\s+(${NUMBER})\\b`, "i").exec(
      text,
    ) ?? [];
  const asked = before ?? after;
  return asked !== undefined && numberOf(asked) > 0 ? { limit: numberOf(asked) } : {};
}

/** Reads a receipt from the data sent with the text: the receipt itself, or the report that contains it. */
export const readReceipt: QuestionReading = ({ text, data }) => {
  if (!/\breceipts?\b/i.test(text)) return null;
  const holder = (typeof data.receipt === "object" && data.receipt) || data;
  const { payload, signature } = holder as Record<string, unknown>;
  return payload === undefined || signature === undefined ? null : { payload, signature };
};

const TRUST = /\b(?:cred|score|trust\w*|reputa\w+|reliab\w+|rely|risk\w*|safe)\b/i;

/** Reads the agent of a question with one of these words. */
const aboutAgent =
  (asked: RegExp): QuestionReading =>
  ({ text }) => {
    const ref = refIn(text);
    return ref !== null && asked.test(text) ? { ref } : null;
  };

export const readCred = aboutAgent(TRUST);

const LINK = /\bhttps?:\/\/[^\s"'<>]+[^\s"'<>.,;:?!)]/i;
/** Reads whom the text asks whether to pay: an agent, a URL, or both. */
export const readPreflight: QuestionReading = ({ text }) => {
  if (!/\bpreflight\b|\bpay\b/i.test(text)) return null;
  const url = LINK.exec(text)?.[0];
  const agent = refIn(url ? text.replace(url, "") : text);
  return url || agent !== null ? { ...(agent !== null && { agent }), ...(url && { url }) } : null;
};

export const readAdvice: QuestionReading = ({ text }) => {
  const ref = refIn(text);
  const asks = /\b(?:advice|advise|improve|raise|lift|increase|better|higher)\b/i;
  return ref !== null && TRUST.test(text) && asks.test(text) ? { ref } : null;
};

export const readReviews = aboutAgent(/\b(?:review|rating|feedback)s?\b|\b(?:review|rat)ed\b/i);

export const readJobs = aboutAgent(/\bjobs?\b/i);

export const readPayments = aboutAgent(/\b(?:paid|payments?|payers?|paying|income|earn(?:s|ed|ings)?|revenue)\b/i);

export const readAgent: QuestionReading = ({ text }) => {
  const ref = refIn(text);
  return ref !== null && !TRUST.test(text) ? { ref } : null;
};

export const readLeaderboard: QuestionReading = ({ text }) => {
  if (!/\b(?:leaderboard|ranking|best|top|highest)\b/i.test(text)) return null;
  if (refIn(text) !== null || nameIn(text) !== null || Object.keys(narrowing(text)).length > 0) return null;
  return { ...limitIn(text), ...(/\bpoints\b/i.test(text) && { sort: "points" }) };
};

/** Pattern of the words that mean one of the registries. */
const REGISTRY_NAMES = REGISTRIES.flatMap(({ queryNames = [] }: RegistryRow) => queryNames).join("|");
const OF_DIRECTORY = new RegExp(
  String.raw`\b(?:x402|director(?:y|ies)|registr(?:y|ies)|${REGISTRY_NAMES}|trending|new(?:est)?)\b`,
  "i",
);

export const readDirectory: QuestionReading = ({ text }) => {
  if (!OF_DIRECTORY.test(text) || refIn(text) !== null) return null;
  const isNew = /\bnew(?:est)?\b/i.test(text);
  const filter = /\bx402\b/i.test(text) ? "x402" : /\btrending\b/i.test(text) ? "trending" : isNew ? "new" : "all";
  const q = nameIn(text);
  return {
    filter,
    ...limitIn(text),
    ...(isNew && { sort: "created_at" }),
    ...(q !== null && { q }),
  };
};

/** What an agent shall do: behind these words, up to the end of the sentence. */
const TASKS = [
  /\b(?:agents?|tools?|services?|servers?|someone|somebody|anyone|anybody|one)\s+(?:that|who|which)\s+(?:can|could|will|knows? how to|is able to|are able to|offers? to)\s+(.{3,300})/i,
  /\b(?:who|which agents?|what agents?|can (?:any|some) agents?|can anyone|can anybody|can someone)\s+(?:can\s+|could\s+)?(?:help me(?: to)?\s+)(.{3,300})/i,
  /\b(?:who|which agents?|what agents?)\s+(?:can|could)\s+(.{3,300})/i,
  /\bcan (?:any|some) agents?\s+(.{3,300})|\bcan any(?:one|body)\s+(.{3,300})/i,
  /\b(?:agents?|tools?|services?|servers?|someone|somebody)\s+(?:able to|capable of|offering|to)\s+(.{3,300})/i,
  /\b(?:find|need|want|looking for|search for|recommend)\b.{0,40}\b(?:agents?|tools?|services?|servers?)\s+for\s+(.{3,300})/i,
];
/** Clauses about the score, which become filters and are no words to search for. The text has single spaces. */
const ABOUT_SCORE = new RegExp(
  `\\s?\\b(?:with|and|having)?\\s?(?:a\\s+)?(?:cred|score)(?:\\s+score)?\\s+(?:of\\s+)?(?:at least|above|over|more than|minimum|min)\\s+(?:${NUMBER})\\b`,
  "gi",
);

/** Reads a task. Prices and protocols stay in `q`: the search reads them as filters. */
export const readFind: QuestionReading = ({ text }) => {
  if (refIn(text) !== null) return null;
  const task = TASKS.map((pattern) => pattern.exec(text)?.slice(1).find(Boolean)).find(Boolean);
  if (task === undefined) return null;
  const scored = task.match(ABOUT_SCORE)?.join(" ") ?? "";
  const q = task
    .replaceAll(ABOUT_SCORE, " ")
    .split(/[.?!](?:\s|$)/, 1)[0]!
    .replaceAll(/\s+/g, " ")
    .replace(/(?<![\s,;:])[\s,;:]+$/, "")
    .trim();
  if (q === "") return null;
  const { minCred } = narrowing(scored) as { minCred?: number };
  return { q, ...(minCred !== undefined && { minCred }), ...limitIn(text) };
};

export const readSearch: QuestionReading = (question) => {
  const { text } = question;
  if (refIn(text) !== null || OF_DIRECTORY.test(text) || readLeaderboard(question) !== null) return null;
  const q = nameIn(text);
  const narrowed = narrowing(text);
  const isAsked = q !== null || Object.keys(narrowed).length > 0;
  if (!isAsked && !/\b(?:find|search|list|show)\b.{0,40}\bagents?\b/i.test(text)) return null;
  return { ...(q !== null && { q }), ...narrowed, ...limitIn(text) };
};

/** The agents that `find_agents` found, in a line each: name, score, what the first endpoint costs. */
export function foundInWords(answer: Record<string, unknown>): string {
  const agents = answer.agents as ShortHit[];
  if (agents.length === 0) return "No agent offers that.";
  const lines = agents.slice(0, MAX_NAMED).map(({ untrusted_text, platform, agent_id, cred, endpoints: [first] }) => {
    const price = first?.price_usd ?? null;
    const call = first ? `, ${first.protocol} at ${quoted(first.url)}` : "";
    return `${quoted(untrusted_text.name)} (${platform}${agent_id === null ? "" : ` ${agent_id}`}): cred ${cred.score} of 100${call}${price === null ? "" : `, ${price} US dollars`}`;
  });
  return [WORDS_ARE_DATA, ...lines].join("\n");
}

/** What an agent's reviews are worth, in a few sentences. */
export function reviewsInWords(answer: Record<string, unknown>): string {
  const { raw, adjusted, interval, voices } = answer as ReviewSummary;
  if (raw === null) return "None of its valid reviews has a scale from bad to good.";
  const plain = `The plain mean of its reviews is ${raw} of 100`;
  return adjusted === null
    ? `${plain}. None of its reviewers has proof behind it: nothing is known, good or bad.`
    : `${plain}; they are worth ${adjusted} (${interval.low} to ${interval.high}), by ${voices} independent voice${voices === 1 ? "" : "s"}.`;
}

/** The verdict before a payment, and why, the heaviest reason first. */
export function preflightInWords(answer: Record<string, unknown>): string {
  const { verdict, payTo, maxAmount, reasons } = answer as PreflightView;
  const supported = `The evidence supports up to ${maxAmount} USDC${payTo ? ` to ${payTo}` : ""}.`;
  return [`${verdict}. ${supported}`, ...reasons.map(({ says }) => says)].join("\n");
}

/** What an agent's jobs come to, in a few sentences. */
export function jobsInWords(answer: Record<string, unknown>): string {
  const { contract, wallet, readTo, windows } = answer as Record<"contract" | "wallet", string | null> & {
    readTo: number | null;
    windows: ReturnType<typeof jobStatsView>["windows"];
  };
  if (contract === null) return "No jobs are read here.";
  if (wallet === null) return "No wallet is known to be its own.";
  if (readTo === null) return "Its jobs are not read yet.";
  const { days, raw, organic } = windows.at(-1)!;
  if (raw.funded + raw.completed + raw.rejected + raw.expired === 0) return `No job of it in the last ${days} days.`;
  const left = `${organic.completed} of them, worth ${organic.usdc} US dollars, are somebody else's money`;
  const byClient = raw.evaluatedByClient + raw.notEvaluated;
  return `In the last ${days} days ${raw.completed} jobs of it were completed, ${raw.rejected} rejected, ${raw.expired} expired. ${left}; ${byClient} were evaluated by the client itself or by nobody.`;
}

/** The open steps of an agent, in a line each. */
export function adviceInWords(answer: Record<string, unknown>): string {
  const { credScore, steps } = answer as CredAdvice;
  const lines = steps.map(({ action, gain, endpoint }) => `${action}: ${gain} points, by ${endpoint}.`);
  return [`Its cred is ${credScore} of 100.`, ...(lines.length > 0 ? lines : ["No step is open."])].join("\n");
}

const times = (n: number, one: string): string => `${n} ${one}${n === 1 ? "" : "s"}`;

/** What an agent's wallet was paid in the longest window, in a few sentences. */
export function paymentsInWords(answer: Record<string, unknown>): string {
  const { wallet, walletAgents, readTo, windows } = answer as AgentPayments;
  if (wallet === null) return "No wallet is known to be its own.";
  if (readTo === null) return "The payments to its wallet are not read yet.";
  const { days, raw, organic } = windows.at(-1)!;
  const within = `in the last ${days} days`;
  if (raw.payments === 0) return `Its wallet was paid nothing ${within}.`;
  const all = `Its wallet was paid ${raw.usdc} USDC ${within}, in ${times(raw.payments, "payment")} by ${times(raw.payers, "payer")}`;
  const shared =
    walletAgents > 1 ? ` The wallet is that of ${walletAgents} agents: nobody can say which was paid.` : "";
  return organic.payments === 0
    ? `${all}. None of that is organic.${shared}`
    : `${all}; ${organic.usdc} USDC of that, in ${times(organic.payments, "payment")} by ${times(organic.payers, "payer")}, is organic.${shared}`;
}

const MAX_NAMED = 10;

type NamedAgent = { name?: unknown; tokenId?: unknown; token_id?: unknown; credScore?: unknown; cred_score?: unknown };

/** A short text of a tool's answer for people. The data part sent with it has the whole answer. */
export function summaryOf(answer: Record<string, unknown>): string {
  if (typeof answer.valid === "boolean")
    return answer.valid ? "The receipt is this service's own." : "The receipt is none of this service's.";
  const agents = (Array.isArray(answer.agents) ? answer.agents : [answer]) as NamedAgent[];
  if (agents.length === 0) return "No agent fits.";
  const more = agents.length > MAX_NAMED ? ["…"] : [];
  return [WORDS_ARE_DATA, ...agents.slice(0, MAX_NAMED).map(wordsOf), ...more].join("\n");
}

function wordsOf(agent: NamedAgent & { tierLabel?: unknown; score?: unknown; address?: unknown }): string {
  const id = agent.tokenId ?? agent.token_id;
  const score = agent.credScore ?? agent.cred_score ?? agent.score;
  const name = typeof agent.name === "string" ? quoted(agent.name) : String(agent.address ?? "The agent");
  return `${name}${id === null || id === undefined ? "" : ` (agent ${id})`}: ${
    typeof score === "number" ? `cred ${score} of 100` : "no cred"
  }${typeof agent.tierLabel === "string" ? `, ${agent.tierLabel}` : ""}`;
}
