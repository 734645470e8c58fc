/** The bodies of the API as types: output of the very schemas that its OpenAPI document is made of. */
import type { z } from "zod";
import type { agentSchema, leaderboardSchema, summarySchema } from "../../../api/schemas/agent.ts";
import type { credByAddressSchema, credHistorySchema } from "../../../api/schemas/cred.ts";
import type { errorSchema } from "../../../api/schemas/error.ts";
import type { mintStateSchema, pendingMintSchema, registrationSchema } from "../../../api/schemas/mint.ts";
import type { reportSchema, verificationsSchema } from "../../../api/schemas/report.ts";
import type { discoverySchema, statusSchema } from "../../../api/schemas/service.ts";
import type { terminalDetailSchema, terminalListSchema } from "../../../api/schemas/terminal.ts";

export type Directory = z.output<typeof terminalListSchema>;
export type Row = Directory["agents"][number];
export type Detail = z.output<typeof terminalDetailSchema>;
export type Agent = z.output<typeof agentSchema>;
export type Summary = z.output<typeof summarySchema>;
export type Leaderboard = z.output<typeof leaderboardSchema>;
export type RankedAgent = Leaderboard["agents"][number];
export type CredByAddress = z.output<typeof credByAddressSchema>;
export type Factors = CredByAddress["factors"];
export type CredHistory = z.output<typeof credHistorySchema>;
export type CredPoint = CredHistory["points"][number];
export type Report = z.output<typeof reportSchema>;
export type Verifications = z.output<typeof verificationsSchema>;
export type Discovery = z.output<typeof discoverySchema>;
export type Status = z.output<typeof statusSchema>;
export type Registration = z.output<typeof registrationSchema>;
export type PendingMint = z.output<typeof pendingMintSchema>;
export type MintState = z.output<typeof mintStateSchema>;
export type ErrorBody = z.output<typeof errorSchema>;
