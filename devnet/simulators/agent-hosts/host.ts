/** What a simulated host of an agent is: what it serves, and what its agent lists of it. */
import type { Hono } from "hono";
import type { ListingInput } from "../../../core/agents/listing-input.ts";
import type { Settle } from "./payments.ts";

export type AgentHostKey = "translator" | "auditor" | "solana-prices" | "members";

type HostParts = {
  /** URL of this host, without a slash at the end. */
  url: string;
  settle: Settle;
};

export type AgentHost = {
  /** Segment of its URL below `/agent-hosts`. */
  key: AgentHostKey;
  api(parts: HostParts): Hono;
  /** What its agent writes into its listing. @param url of this host */
  listing(url: string): ListingInput;
};
