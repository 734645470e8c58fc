/** Every check of the doctor, by the groups of the report in their order. A new one is a line in the list of its group. */
import type { Check, GroupedCheck } from "./check.ts";
import { CONFIGURATION_CHECKS } from "./checks/configuration.ts";
import { CONTRACT_CHECKS } from "./checks/contracts.ts";
import { INDEX_CHECKS } from "./checks/index-data.ts";
import { MONEY_CHECKS } from "./checks/money.ts";
import { NODE_CHECKS } from "./checks/nodes.ts";
import { RUNNING_CHECKS } from "./checks/running.ts";
import { STORAGE_CHECKS } from "./checks/storage.ts";
import { UPSTREAM_CHECKS } from "./checks/upstreams.ts";

const GROUPS: Record<string, readonly Check[]> = {
  Configuration: CONFIGURATION_CHECKS,
  Nodes: NODE_CHECKS,
  Contracts: CONTRACT_CHECKS,
  "Keys and money": MONEY_CHECKS,
  Upstreams: UPSTREAM_CHECKS,
  Storage: STORAGE_CHECKS,
  Index: INDEX_CHECKS,
  "Running service": RUNNING_CHECKS,
};

export const CHECKS: readonly GroupedCheck[] = Object.entries(GROUPS).flatMap(([group, checks]) =>
  checks.map((check) => ({ ...check, group })),
);
