/** The payments that an agent's wallet received: raw and organic side by side, and why each is the one or the other. */
import { z } from "zod";
import { checksum } from "../../core/addresses.ts";
import { incomeFiguresView, receivedPaymentView } from "../../core/income/view.ts";
import { incomeOf, incomePage } from "../../db/income/income-figures.ts";
import { snapshot } from "../../db/sql/transaction.ts";
import { endpoint } from "../endpoint.ts";
import { limit, minBlock } from "../parameters.ts";
import { agentPaymentsSchema } from "../schemas/income.ts";
import { directoryAgent, walletWithoutRow } from "../services/directory-agent.ts";
import { waitForIncome } from "../services/evidence-at.ts";
import { logPlace, ofPlatform, ref } from "./directory-claims.ts";

export const agentPayments = endpoint({
  path: "/api/v2/agent/{ref}/payments",
  operationId: "listAgentPayments",
  tag: "Agents",
  summary: "The payments that an agent's wallet received: raw and organic, payers, refunds, why each counts or not",
  description:
    "Settlements of EIP-3009 authorizations in USDC, which x402 pays by, to the agent's wallet: by the logs of the chain, of the last 90 days. `raw` is all of it; `organic` is what is left without the payments whose money came from the agent's side or went back to it, and without dust. Each removed payment names its rule, which is a reason and no verdict. No figure is part of a cred score. The wallet is one that the registry has shown to be the agent's; agents of other registries have none.",
  data: true,
  params: z.object({ ref }),
  query: z.object({ minBlock, platform: ofPlatform, cursor: logPlace, limit: limit({ default: 20, max: 100 }) }),
  responses: { 200: { description: "Figures and payments", schema: agentPaymentsSchema } },
  errors: ["not_found"],
  async handler({ deps, params, query }, json) {
    const { limit } = query;
    const agent = await directoryAgent(deps, params.ref, query);
    const { id } = agent;
    if (id === null) {
      const none = {
        readTo: null,
        ...incomeFiguresView(null),
        computedAt: null,
        payments: [],
        limit,
        nextCursor: null,
      };
      return json({ ...(await walletWithoutRow(deps, agent.own)), ...none });
    }
    await waitForIncome(deps, id, query.minBlock);
    return snapshot(deps.db, async (tx) => {
      const income = await incomeOf(tx, { id });
      const figures = income?.figures ?? null;
      const head = {
        wallet: income && checksum(income.wallet),
        walletAgents: income?.agents ?? 0,
        readTo: income?.readTo ?? null,
        ...incomeFiguresView(figures),
        computedAt: income?.computedAt?.toISOString() ?? null,
      };
      const found = figures && (await incomePage(tx, id, { after: query.cursor ?? null, limit: limit + 1 }));
      const shown = found?.slice(0, limit) ?? [];
      const last = found && found.length > limit ? shown.at(-1)! : null;
      return json({
        ...head,
        payments: shown.map(receivedPaymentView),
        limit,
        nextCursor: last && `${last.block}-${last.logIndex}`,
      });
    });
  },
});
