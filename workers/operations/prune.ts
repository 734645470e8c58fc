/** Removes what is only kept for a while: answers stored for idempotency keys, revocations and signed texts whose time is over, networks of clients, slugs that are free again, allowances that are whole again, meanings of texts that no agent has, versions of what no agent names. */
import { SLUG_RETIREMENT_MS } from "../../core/principals/slugs.ts";
import { forgetFullAllowances } from "../../db/callers/allowances.ts";
import { forgetUsedTexts } from "../../db/callers/human-updates.ts";
import { forgetExpired } from "../../db/callers/idempotency.ts";
import { forgetRevocations } from "../../db/callers/revocations.ts";
import { forgetMeanings } from "../../db/discovery/meanings.ts";
import { forgetUnnamedVersions } from "../../db/offers/offer-history.ts";
import { forgetRetiredSlugs } from "../../db/principals/organizations.ts";
import { databaseNow } from "../../db/sql/database-clock.ts";
import { forgetClientNetworks } from "../../db/transactions/free-gas.ts";
import { defineJob } from "../job.ts";
import { runSteps } from "../steps.ts";

export const prune = defineJob({
  name: "prune",
  schedule: { everyMs: 3_600_000 },
  async run({ db, config }) {
    const now = await databaseNow(db);
    return runSteps({
      idempotency: () => forgetExpired(db),
      revocations: () => forgetRevocations(db),
      "used texts": () => forgetUsedTexts(db),
      allowances: () => forgetFullAllowances(db, now),
      meanings: () => forgetMeanings(db, config.embeddings?.documents ?? 0, now),
      "unnamed versions": () => forgetUnnamedVersions(db, now),
      "client networks": () => forgetClientNetworks(db),
      "retired slugs": () => forgetRetiredSlugs(db, new Date(now.getTime() - SLUG_RETIREMENT_MS)),
    });
  },
});
