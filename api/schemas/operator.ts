/** The state of the service as operators see it. */
import { array, object, z } from "zod";
import { LEFT_OUT } from "../../core/operations/connection-plan.ts";
import { address, count, moment, usdc } from "../../core/views/fields.ts";

const seconds = z.number().min(0);
const stateCount = object({ state: z.string(), rows: count, oldestSeconds: seconds });
const byState = z.record(z.string(), count);

export const operatorSchema = object({
  ledger: object({
    open: array(stateCount).meta({ description: "Payments that are not decided, by state" }),
    refundDue: object({ rows: count, amount: usdc, oldestSeconds: seconds }).meta({
      description: "Money to be sent back or spent as a credit",
    }),
    byState: byState.meta({ description: "All payments, at most a minute old" }),
    day: array(
      object({ operation: z.string(), method: z.string(), state: z.string(), rows: count, amount: usdc }),
    ).meta({ description: "Payments presented within 24 hours, at most a minute old" }),
  }),
  transactions: object({
    open: array(stateCount),
    waiting: object({ rows: count, oldestSeconds: seconds }).meta({ description: "Queued with low priority" }),
    nonceGap: count.meta({ description: "Nonces below ours that no transaction holds" }),
    byState,
    pendingMints: object({ rows: count, oldestSeconds: seconds }),
  }),
  sender: object({
    balanceEther: z.number(),
    funded: z.boolean(),
    paused: z.boolean().meta({ description: "The day's budget is used up" }),
    spentEther: z.number().min(0).meta({ description: "Since midnight UTC" }),
    budgetEther: z.number().min(0).meta({ description: "Max per day; 0 = no limit" }),
    freeEther: z.number().min(0).meta({ description: "Free writes of today and under way: at most half of it" }),
    newcomersEther: z.number().min(0).meta({ description: "Of them those of new agents: at most a quarter of it" }),
    checkedSeconds: seconds,
  })
    .nullable()
    .meta({ description: "null before the sender ever ran" }),
  events: object({
    head: count,
    handedOut: count,
    unplaced: count,
    undispatched: object({ rows: count, oldestSeconds: seconds }),
  }),
  webhooks: object({
    on: count,
    off: count,
    pending: object({ rows: count, oldestSeconds: seconds }),
    dead: count,
    failing: array(
      object({
        id: z.string(),
        owner: address,
        host: z.string(),
        failures: count,
        failingSince: moment.nullable(),
        disabledAt: moment.nullable(),
        disabledReason: z.string().nullable(),
        dead: count.meta({ description: "Deliveries given up, counted up to 1,000" }),
        lastAnswer: z.string().nullable().meta({ description: "Status or error of the last attempt" }),
      }),
    ).meta({ description: "At most 50, those that have failed longest first" }),
  }),
  directory: object({
    rows: z.number().min(0).meta({ description: "From the database's statistics" }),
    quarantined: byState.meta({ description: "Items that could not be read or stored, by source" }),
    offerSources: byState.meta({ description: "Endpoints of agents that are read for offers, by status" }),
  }),
  replicas: object({
    primaryReads: count
      .nullable()
      .meta({ description: "Reads that the primary answered; null where no replica is configured" }),
    servers: array(
      object({
        name: z.string(),
        leftOut: z.enum(LEFT_OUT).nullable().meta({ description: "Why it takes no reads; null while it does" }),
        lagSeconds: seconds.nullable().meta({
          description: "Since it was last seen to have everything the primary had; null before it ever was",
        }),
        reads: count.meta({ description: "Reads that it answered" }),
        failed: count.meta({ description: "Reads that it could not answer and the primary did" }),
      }),
    ),
  }).meta({ description: "Replicas of the database, as this API process uses them" }),
}).meta({ id: "OperatorState" });
