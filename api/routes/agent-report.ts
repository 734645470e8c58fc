/** The aggregated report of one agent, and the records of its proofs. */
import type { Abi } from "viem";
import { toFunctionSelector } from "viem/utils";
import { erc8004IdentityAbi } from "../../abis/erc8004.ts";
import { handshakesAbi } from "../../abis/handshakes.ts";
import { identityAbi } from "../../abis/identity.ts";
import { multicall3Abi } from "../../abis/multicall3.ts";
import { parseAddress } from "../../core/addresses.ts";
import type { Hex } from "../../core/agents/facts.ts";
import { linkedToken } from "../../core/agents/linked-token.ts";
import { shownCred } from "../../core/cred/cred.ts";
import { byProofPlatform } from "../../core/proof-platforms.ts";
import { caveatsOf } from "../../core/views/agent.ts";
import {
  agentReportSchema,
  agentReportView,
  verificationsSchema,
  verificationsView,
} from "../../core/views/agent-report.ts";
import { recentTransactions } from "../../db/agents/activity.ts";
import { snapshot } from "../../db/sql/transaction.ts";
import { endpointsOf } from "../endpoint.ts";
import { agentRef } from "../parameters.ts";
import { credRankOf, factsOf } from "../services/agent-facts.ts";

const endpoint = endpointsOf({ tag: "Agents", named: { ref: agentRef }, data: true });

const RECENT_TRANSACTIONS = 10;
/** How a linked token's chain may be written when it is this one. */
const THIS_CHAIN = /^(base|8453|eip155:8453)$/i;

export const agentReport = endpoint({
  path: "/api/v2/agent/{ref}/report",
  operationId: "getReport",
  summary: "What an agent holds, has done lately and has proven, and its rank",
  responses: { 200: { description: "The report", schema: agentReportSchema } },
  async handler({ deps, params, reader, at }, json) {
    const { facts, transactions, ranking } = await snapshot(deps.db, async (db) => {
      const facts = await factsOf({ db, config: deps.config }, params.ref);
      return {
        facts,
        transactions: await recentTransactions(db, { tokenId: facts.tokenId, limit: RECENT_TRANSACTIONS }),
        ranking: await credRankOf(deps, db, shownCred(facts, at).score),
      };
    });
    const linked = linkedToken(facts.traits);
    const token = linked && THIS_CHAIN.test(linked.chain.trim()) ? parseAddress(linked.contractAddress) : null;
    const balances = await deps.balances.of(facts.agentAddress, token, reader);
    return json(
      agentReportView(
        facts,
        {
          balances,
          transactions: transactions.map((tx) => ({ ...tx, method: methodName(tx.selector) })),
          ...ranking,
        },
        deps.site,
        at,
      ),
    );
  },
});

export const verifications = endpoint({
  path: "/api/v2/agent/{ref}/verifications",
  operationId: "getVerifications",
  summary: "The records of an agent's social proofs",
  responses: { 200: { description: "A record or null for each platform", schema: verificationsSchema } },
  async handler({ deps, params, at }, json) {
    const { service, upstreams } = deps.config;
    const checkedEvery = byProofPlatform(({ key }) => upstreams.proofChecks[key].recheckMs);
    const facts = await factsOf(deps.facts, params.ref);
    const reservations = caveatsOf(facts, at);
    return json(verificationsView(facts, { prefix: service.prefix, checkedEvery, reservations }));
  },
});

const ABIS: readonly Abi[] = [identityAbi, handshakesAbi, erc8004IdentityAbi, multicall3Abi];

const names = new Map<string, string>(
  ABIS.flatMap((abi) =>
    abi.flatMap((entry) => (entry.type === "function" ? [[toFunctionSelector(entry), entry.name] as const] : [])),
  ),
);

/** The function a selector calls, else the selector itself; null for none. */
const methodName = (selector: Hex | null): string | null => selector && (names.get(selector.toLowerCase()) ?? selector);
