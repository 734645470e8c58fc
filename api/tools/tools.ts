/** The tools that agents call by name over MCP and A2A: a few reads of the API, one entry each. Names and schemas follow from the endpoint. */
import type { Endpoint } from "../endpoint.ts";
import { agentJobs } from "../routes/agent-jobs.ts";
import { agentPayments } from "../routes/agent-payments.ts";
import { agentReviews } from "../routes/agent-reviews.ts";
import { searchAgents } from "../routes/agent-search.ts";
import { agent, leaderboard } from "../routes/agents.ts";
import { cred } from "../routes/cred.ts";
import { verifyReceipt } from "../routes/cred-report.ts";
import { terminalAgents } from "../routes/directory.ts";
import { findAgents } from "../routes/discovery.ts";
import {
  foundInWords,
  jobsInWords,
  paymentsInWords,
  type QuestionReading,
  readAgent,
  readCred,
  readDirectory,
  readFind,
  readJobs,
  readLeaderboard,
  readPayments,
  readReceipt,
  readReviews,
  readSearch,
  reviewsInWords,
} from "./natural-language.ts";

export type Tool = {
  name: string;
  title: string;
  /** The endpoint that answers: it returns JSON objects, is free, and needs no credential. */
  endpoint: Endpoint;
  /** An example of a question that the tool answers. */
  example: string;
  /** Parses the arguments from a question in natural language, such as the example. */
  read: QuestionReading;
  /** An answer in a few words for people; by default the agents it names, with their scores. */
  inWords?: (answer: Record<string, unknown>) => string;
};

export const TOOLS: readonly Tool[] = [
  {
    name: "find_agents",
    title: "Find agents for a task",
    endpoint: findAgents,
    example: "Find an agent that can audit Solidity for under 5 cents with x402.",
    read: readFind,
    inWords: foundInWords,
  },
  {
    name: "search_agents",
    title: "Search agents",
    endpoint: searchAgents,
    example: "Find verified agents named Atlas with a cred of at least 50.",
    read: readSearch,
  },
  {
    name: "get_reviews",
    title: "Reviews of an agent, and what they are worth",
    endpoint: agentReviews,
    example: "What are the reviews of agent 7 worth?",
    read: readReviews,
    inWords: reviewsInWords,
  },
  {
    name: "get_jobs",
    title: "Jobs of an agent that were paid by escrow",
    endpoint: agentJobs,
    example: "Which jobs has agent 7 completed?",
    read: readJobs,
    inWords: jobsInWords,
  },
  {
    name: "get_payments",
    title: "Payments that an agent's wallet received, raw and organic",
    endpoint: agentPayments,
    example: "What was agent 7 paid, and by whom?",
    read: readPayments,
    inWords: paymentsInWords,
  },
  { name: "get_agent", title: "Look up an agent", endpoint: agent, example: "Who is agent 7?", read: readAgent },
  {
    name: "get_cred",
    title: "Cred score of an agent",
    endpoint: cred,
    example: "How far can I trust the agent with the wallet 0x19B16428f0721a5f627F190Ca61D493A632B423F?",
    read: readCred,
  },
  {
    name: "leaderboard",
    title: "Leaderboard",
    endpoint: leaderboard,
    example: "Which ten agents have the best cred?",
    read: readLeaderboard,
  },
  {
    name: "verify_receipt",
    title: "Check a cred report's receipt",
    endpoint: verifyReceipt,
    example: "Is this receipt genuine, and what does the report say?",
    read: readReceipt,
  },
  {
    name: "directory_search",
    title: "Search the directory of all registries",
    endpoint: terminalAgents,
    example: "Which new agents take x402 payments?",
    read: readDirectory,
  },
];

/** The description of a tool, in sentences. */
export const descriptionOf = ({ endpoint: { summary, description } }: Tool): string =>
  [`${summary}.`, description].filter((part) => part !== undefined).join(" ");
