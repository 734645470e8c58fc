/** Runs the job that reads what agents offer, over real HTTP. */
import { foreignEndpoints } from "../../../clients/foreign-endpoints.ts";
import type { PublicHttp } from "../../../clients/public-http.ts";
import { testLog } from "../../../harness/log.ts";
import type { JobContext } from "../../../workers/context.ts";
import { offers } from "../../../workers/offers/offers.ts";

type Given = Pick<JobContext, "db" | "clock"> & { publicHttp: PublicHttp; over?: Partial<JobContext> };

/** One run, by a worker that has just started. */
export const runOffers = (
  { db, clock, publicHttp, over = {} }: Given,
  input: { tokenIds?: number[] } = {},
): Promise<number> =>
  offers.run(
    {
      ...{ db, clock, log: testLog(), fault: () => {} },
      endpoints: foreignEndpoints(publicHttp, { now: () => clock().getTime() }),
      ...over,
    } as JobContext,
    input,
  );
