/** The jobs that an agent was the provider of: raw and organic side by side, and why each is the one or the other. */
import { z } from "zod";
import { checksum } from "../../core/addresses.ts";
import { jobFiguresView, jobView } from "../../core/commerce/view.ts";
import { unweighed } from "../../core/commerce/weigh.ts";
import { readContract } from "../../db/commerce/commerce-logs.ts";
import { agentCommerce, jobPage } from "../../db/commerce/job-figures.ts";
import { groupMembers } from "../../db/income/followed.ts";
import { snapshot } from "../../db/sql/transaction.ts";
import { endpoint } from "../endpoint.ts";
import { limit, minBlock } from "../parameters.ts";
import { agentJobsPageSchema } from "../schemas/commerce.ts";
import { directoryAgent, unknownAgent, walletWithoutRow } from "../services/directory-agent.ts";
import { waitForJobs } from "../services/evidence-at.ts";
import { logPlace, ofPlatform, ref } from "./directory-claims.ts";

export const agentJobs = endpoint({
  path: "/api/v2/agent/{ref}/jobs",
  operationId: "listAgentJobs",
  tag: "Agents",
  summary:
    "The jobs that an agent was paid for by escrow: raw and organic, clients, evaluators, why each counts or not",
  description:
    "Jobs of one contract of agent commerce (ERC-8183) whose provider is the agent's wallet, by the logs of the chain: the client's money is in escrow until an evaluator completes or rejects, or time is over. `raw` is all that were funded; `organic` is what is left without those whose client or evaluator is of the agent's own side, or whose client's money came from there or went back there, dust, other tokens, and where there is one client only. Each removed job names its rule, which is a reason and no verdict; who evaluates is a fact beside it. No figure is part of a cred score. The wallet is one that the registry has shown to be the agent's; agents of other registries have none.",
  data: true,
  params: z.object({ ref }),
  query: z.object({ minBlock, platform: ofPlatform, cursor: logPlace, limit: limit({ default: 20, max: 100 }) }),
  responses: { 200: { description: "Figures and jobs", schema: agentJobsPageSchema } },
  errors: ["not_found"],
  async handler({ deps, params, query }, json) {
    const { limit } = query;
    const agent = await directoryAgent(deps, params.ref, query);
    const { id } = agent;
    if (id === null) {
      const none = { readTo: null, ...jobFiguresView(null), computedAt: null, jobs: [], limit, nextCursor: null };
      const contract = await readContract(deps.db);
      return json({ contract: contract && checksum(contract), ...(await walletWithoutRow(deps, agent.own)), ...none });
    }
    await waitForJobs(deps, id, query.minBlock);
    return snapshot(deps.db, async (tx) => {
      const found = await agentCommerce(tx, { id });
      if (found === null) return unknownAgent();
      const { contract, wallet, owner, figures } = found;
      const head = {
        contract: contract && checksum(contract),
        wallet: wallet && checksum(wallet),
        walletAgents: found.agents,
        readTo: found.readTo,
        ...jobFiguresView(figures),
        computedAt: found.computedAt?.toISOString() ?? null,
      };
      if (wallet === null || contract === null) return json({ ...head, jobs: [], limit, nextCursor: null });
      const page = await jobPage(tx, { id, wallet }, { after: query.cursor ?? null, limit: limit + 1 });
      const shown = page.slice(0, limit);
      const last = page.length > limit ? shown.at(-1)! : null;
      const usdc = deps.config.contracts.usdc.address;
      const named = shown.flatMap(({ job, weighed }) => (weighed ? [] : [job.client, job.evaluator ?? job.client]));
      const side = { wallet, owner, usdc, group: await groupMembers(tx, owner, named) };
      const isBeyond = figures?.windows.at(-1)?.removed.some(({ rule }) => rule === "beyond");
      return json({
        ...head,
        jobs: shown.map(({ job, weighed, rule, through }) => {
          const known = { ...job, units: BigInt(job.units) };
          return jobView(
            known,
            usdc,
            weighed ? rule && { rule, through } : unweighed(known, side, isBeyond ? "beyond" : "unread"),
          );
        }),
        limit,
        nextCursor: last && `${last.block}-${last.logIndex}`,
      });
    });
  },
});
