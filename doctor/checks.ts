/** Every check of the doctor. A new one is a line in the list of its group. */
import type { Check } from "./check.ts";
import { CONFIGURATION_CHECKS } from "./checks/configuration.ts";
import { CONTRACT_CHECKS } from "./checks/contracts.ts";
import { INDEX_CHECKS } from "./checks/index-data.ts";
import { MONEY_CHECKS } from "./checks/money.ts";
import { NODE_CHECKS } from "./checks/nodes.ts";
import { RUNNING_CHECKS } from "./checks/running.ts";
import { STORAGE_CHECKS } from "./checks/storage.ts";
import { UPSTREAM_CHECKS } from "./checks/upstreams.ts";

export const CHECKS: readonly Check[] = [
  ...CONFIGURATION_CHECKS,
  ...NODE_CHECKS,
  ...CONTRACT_CHECKS,
  ...MONEY_CHECKS,
  ...UPSTREAM_CHECKS,
  ...STORAGE_CHECKS,
  ...INDEX_CHECKS,
  ...RUNNING_CHECKS,
];
