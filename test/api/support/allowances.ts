/** Allowances of requests in the memory of one process, without an API around them. */
import { type RateLimits, rateLimits } from "../../../api/guards/rate-limits.ts";
import { openRateBuckets } from "../../../clients/rate-buckets.ts";
import { RATE_POLICIES, type RateQuotas } from "../../../core/callers/rate-policies.ts";

/** @param quotas those that differ from the service's own */
export const allowances = (quotas: Partial<RateQuotas> = {}): RateLimits =>
  rateLimits(
    {
      ...(Object.fromEntries(Object.entries(RATE_POLICIES).map(([name, { quota }]) => [name, quota])) as RateQuotas),
      ...quotas,
    },
    openRateBuckets({ prefix: "", log: { warn() {} } }),
  );
