/** Wallets of tests, which sign in at the API's host. */
import type { Address } from "../../../core/agents/facts.ts";
import { type AgentWallet, agentWallet } from "../../../harness/agent-wallet.ts";
import { HOST } from "./api.ts";

export type Wallet = AgentWallet;

export const newWallet = (): Wallet => agentWallet({ host: HOST });

/** An address as the database has it. */
export const lower = ({ address }: { address: string }): Address => address.toLowerCase() as Address;
