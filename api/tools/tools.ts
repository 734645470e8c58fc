/** The tools that agents call by name over MCP and A2A: a few reads of the API, one entry each. Names and schemas follow from the endpoint. */
import type { Endpoint } from "../endpoint.ts";
import { agent, leaderboard, searchAgents } from "../routes/agents.ts";
import { advice, cred } from "../routes/cred.ts";
import { verifyReceipt } from "../routes/cred-report.ts";
import { terminalAgents } from "../routes/directory.ts";
import { findAgents } from "../routes/discovery.ts";
import { agentJobs, agentPayments, agentReviews } from "../routes/evidence.ts";
import { preflightEndpoint } from "../routes/preflight.ts";
import type { QuestionReading } from "./natural-language.ts";
import * as words from "./natural-language.ts";
import type { ShortForm } from "./short-form.ts";

export type Tool = {
  name: string;
  title: string;
  /** When to use it rather than another one, in a sentence. */
  when: string;
  /** The endpoint that answers: it returns JSON objects, is free, and needs no credential. */
  endpoint: Endpoint;
  /** The arguments that a model is shown. The endpoint's others are taken too. */
  takes: readonly string[];
  /** How many a model gets that asks for no number, where the endpoint's default is more than it should read. */
  limit?: number;
  /** What a model gets that does not ask for the answer in full; without it the endpoint's answer is short. */
  short?: ShortForm;
  example: string;
  /** Parses the arguments from a question in natural language, such as the example. */
  read: QuestionReading;
  /** An answer in a few words for people; by default the agents it names, with their scores. */
  inWords?: (answer: Record<string, unknown>) => string;
};

const each = (of: string, members: string): string[] => members.split(" ").map((member) => `${of}.${member}`);

export const TOOLS: readonly Tool[] = [
  {
    name: "find_agents",
    title: "Find agents for a task",
    when: "Use this first when you need an agent for a task: what agents of all registries offer, what to call, its price, and why each is found.",
    endpoint: findAgents,
    takes: ["q", "speaks", "platform", "minCred", "verified", "accepts", "maxPrice", "cursor", "limit"],
    limit: 3,
    example: "Find an agent that can audit Solidity for under 5 cents with x402.",
    read: words.readFind,
    inWords: words.foundInWords,
  },
  {
    name: "search_agents",
    title: "Search agents",
    when: "Use this when you know the name, address, owner or token id of an agent that is registered here; the best cred comes first, so the original stands before its copies.",
    endpoint: searchAgents,
    takes: ["q", "owner", "minCred", "tier", "verified", "limit"],
    limit: 10,
    short: {
      rows: "agents",
      members: [
        ...["q", "total", "limit"],
        ...each("agents", "tokenId name agentAddress owner credScore tierLabel verified framework mintedAt"),
      ],
    },
    example: "Find verified agents named Atlas with a cred of at least 50.",
    read: words.readSearch,
  },
  {
    name: "get_reviews",
    title: "Reviews of an agent, and what they are worth",
    when: "Use this to judge what clients say of an agent (ERC-8004): `raw` is the plain mean, `adjusted` what is left where reviewers count by what the chain proves about them.",
    endpoint: agentReviews,
    takes: ["ref", "platform", "newest", "client", "cursor", "limit"],
    limit: 5,
    short: {
      rows: "reviews",
      members: [
        ...["agentId", "raw", "adjusted", "interval", "inflation", "reviewers", "voices", "dimensions"],
        ...["computedAt", "limit", "nextCursor"],
        ...each("reviews", "client value rating tags revoked givenAt weight reasons.says paid.says file.says written"),
      ],
    },
    example: "What are the reviews of agent 7 worth?",
    read: words.readReviews,
    inWords: words.reviewsInWords,
  },
  {
    name: "get_jobs",
    title: "Jobs of an agent that were paid by escrow",
    when: "Use this to see what an agent was hired for by escrow (ERC-8183): `raw` is every job, `organic` those that somebody else's money paid for.",
    endpoint: agentJobs,
    takes: ["ref", "platform", "cursor", "limit"],
    limit: 5,
    short: {
      rows: "jobs",
      members: [
        ...["contract", "wallet", "walletAgents", "readTo", "computedAt", "limit", "nextCursor"],
        ...each("windows", "days raw organic removed.rule removed.funded removed.usdc"),
        ...each("jobs", "jobId state client evaluation.says usdc fundedAt endedAt organic removed.says"),
      ],
    },
    example: "Which jobs has agent 7 completed?",
    read: words.readJobs,
    inWords: words.jobsInWords,
  },
  {
    name: "get_payments",
    title: "Payments that an agent's wallet received, raw and organic",
    when: "Use this to see whether customers pay an agent by x402 (the last 90 days): `raw` is every payment, `organic` what is left without money from the agent's own side.",
    endpoint: agentPayments,
    takes: ["ref", "platform", "cursor", "limit"],
    limit: 5,
    short: {
      rows: "payments",
      members: [
        ...["wallet", "walletAgents", "readTo", "computedAt", "limit", "nextCursor"],
        ...each("windows", "days raw organic removed.rule removed.payments removed.usdc"),
        ...each("payments", "paidAt payer usdc organic removed.says txHash"),
      ],
    },
    example: "What was agent 7 paid, and by whom?",
    read: words.readPayments,
    inWords: words.paymentsInWords,
  },
  {
    name: "preflight",
    title: "Whether to pay an agent",
    when: "Use this before each payment: allow, review, deny or unrated, with reasons, whom to pay (payTo and nobody else) and the largest amount that evidence supports.",
    endpoint: preflightEndpoint,
    takes: ["url", "agent", "amount", "payTo", "live"],
    short: {
      members: [
        ...["verdict", "agent", "url", "payTo", "amount", "maxAmount"],
        ...each("reasons", "key effect says evidence"),
      ],
    },
    example: "Should I pay agent 7?",
    read: words.readPreflight,
    inWords: words.preflightInWords,
  },
  {
    name: "get_advice",
    title: "What lifts an agent's score",
    when: "Use this to raise an agent's score: each step that is open to it, with the points it wins and the operation that takes it.",
    endpoint: advice,
    takes: ["ref"],
    short: { rows: "steps" },
    example: "How can agent 7 raise its cred score?",
    read: words.readAdvice,
    inWords: words.adviceInWords,
  },
  {
    name: "get_agent",
    title: "Look up an agent",
    when: "Use this to learn who an agent of this registry is: profile, services, proofs, and the figures of its reviews, payments and jobs.",
    endpoint: agent,
    takes: ["ref"],
    short: {
      members: [
        ...["tokenId", "name", "agentName", "framework", "agentAddress", "walletConfirmed", "owner", "operator"],
        ...["verified", "coinbaseVerified", "soulbound", "mintOrigin", "mintedAt", "credScore", "tierLabel", "points"],
        ...["ethosScore", "services", "skills", "domains", "socials", "reservations.says", "traits.name"],
        ...["linkedToken.symbol", "linkedToken.contractAddress", "narrative.mission", "metadata.acceptedPayments"],
        ...each("reviews", "registry agentId raw adjusted reviewers voices"),
        ...["payments.windows.days", "payments.windows.raw.usdc", "payments.windows.organic.usdc"],
        ...["jobs.windows.days", "jobs.windows.raw.completed", "jobs.windows.organic.completed"],
      ],
    },
    example: "Who is agent 7?",
    read: words.readAgent,
  },
  {
    name: "get_cred",
    title: "Cred score of an agent",
    when: "Use this before you deal with an agent: its score of 0 to 100 and its tier; by wallet also what the score is made of.",
    endpoint: cred,
    takes: ["ref", "at"],
    short: {},
    example: "How far can I trust the agent with the wallet 0x19B16428f0721a5f627F190Ca61D493A632B423F?",
    read: words.readCred,
  },
  {
    name: "leaderboard",
    title: "Leaderboard",
    when: "Use this for the best agents of this registry, by cred or by points.",
    endpoint: leaderboard,
    takes: ["sort", "limit"],
    limit: 10,
    short: {
      rows: "agents",
      members: ["sort", "limit", ...each("agents", "rank tokenId name credScore tierLabel points")],
    },
    example: "Which ten agents have the best cred?",
    read: words.readLeaderboard,
  },
  {
    name: "verify_receipt",
    title: "Check a cred report's receipt",
    when: "Use this when somebody shows you a cred report: whether its receipt is genuine, and what the report says.",
    endpoint: verifyReceipt,
    takes: ["payload", "signature"],
    short: {
      members: [
        ...["valid", "report.reportId", "report.generatedAt", "report.paidReport", "report.credScore"],
        ...each("report.agent", "tokenId name owner agentAddress verified"),
        ...["report.verifications", "report.reservations.says"],
      ],
    },
    example: "Is this receipt genuine, and what does the report say?",
    read: words.readReceipt,
  },
  {
    name: "directory_search",
    title: "Search the directory of all registries",
    when: "Use this to filter and sort agents of all registries by score, platform, age or token market; for a task, find_agents is better.",
    endpoint: terminalAgents,
    takes: ["q", "filter", "sort", "dir", "platform", "chain", "speaks", "minScore", "owner", "limit", "page"],
    limit: 8,
    short: {
      rows: "agents",
      members: [
        ...["total", "page", "totalPages", "limit"],
        ...each("agents", "platform agent_id token_id name description cred_score cred_tier x402_supported verified"),
        ...each("agents", "owner_address created_at token_symbol token_source token_market_cap price_change_24h"),
      ],
    },
    example: "Which new agents take x402 payments?",
    read: words.readDirectory,
  },
];
