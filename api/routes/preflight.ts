/** The verdict before a payment: whether the evidence supports it, signed, with all that it follows from. */

import { parseUnits } from "viem/utils";
import { object, z } from "zod";
import { checksum, parseAddress } from "../../core/addresses.ts";
import { typedDigest } from "../../core/cred/report/check.ts";
import { foreignLink } from "../../core/directory/foreign-text.ts";
import { x402Price } from "../../core/offers/x402-prices.ts";
import type { PreflightInputs } from "../../core/preflight/facts.ts";
import { THRESHOLDS } from "../../core/preflight/policy.ts";
import { preflight } from "../../core/preflight/preflight.ts";
import { VERDICT_TYPES, verdictMessage } from "../../core/preflight/receipt.ts";
import { type PreflightView, preflightSchema } from "../../core/preflight/view.ts";
import { findDirectoryId } from "../../db/directory/rows.ts";
import { preflightFacts } from "../../db/discovery/preflight-facts.ts";
import { endpoint } from "../endpoint.ts";
import type { HandlerDeps } from "../handler-deps.ts";
import { minBlock } from "../parameters.ts";
import { written } from "../reply.ts";
import { waitForDirectory } from "../services/until-shown.ts";
import { receiptDomain } from "./cred-report.ts";
import { ref } from "./directory-agent.ts";

/** For so many milliseconds an answer serves all who ask the same. */
const FRESH_MS = 5_000;
const MAX_URL = 2_000;
const MAX_TERMS = 16;

const usdcUnits = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,6})?$/, { error: "must be USDC, decimal, with six decimals at most" })
  .transform((text) => parseUnits(text, 6))
  .meta({ documented: { type: "string", pattern: "^\\d{1,12}(\\.\\d{1,6})?$" }, examples: ["0.04"] });
const url = z
  .string()
  .max(MAX_URL)
  .transform((text, ctx) => {
    const link = foreignLink(text);
    if (link !== null && /^https?:/.test(link)) return link.replace(/#.*$/s, "");
    ctx.addIssue("must be a URL of http or https without credentials");
    return z.NEVER;
  })
  .meta({ documented: { type: "string", maxLength: MAX_URL }, description: "What will be called" });
const terms = z
  .array(z.looseObject({}))
  .max(MAX_TERMS)
  .transform((given, ctx) => {
    const accepts = x402Price(given)?.accepts ?? [];
    if (accepts.length !== given.length)
      ctx.addIssue("must be `accepts` of x402, each with scheme, network, asset, amount and payTo");
    return accepts;
  })
  .meta({
    documented: { type: "array", items: { type: "object", additionalProperties: true }, maxItems: MAX_TERMS },
    description:
      "What its 402 requires: `accepts`, or the one of them that will be paid. Only those on this chain are judged",
  });
const least = (of: "minPayers" | "minHeldDays" | "switchedDays" | "minCred" | "minUptime", max: number) =>
  z.int().min(THRESHOLDS[of].value).max(max);
const most = (of: "maxSilentHours" | "maxFactHours") => z.int().min(1).max(THRESHOLDS[of].value);
const thresholds = object({
  maxAmount: usdcUnits.refine((units) => units > 0n && units <= BigInt(THRESHOLDS.maxUnits.value), {
    error: `must be more than 0 and at most ${THRESHOLDS.maxUnits.value / 1e6}`,
  }),
  minPayers: least("minPayers", 20),
  minHeldDays: least("minHeldDays", 3_650),
  switchedDays: least("switchedDays", 3_650),
  minCred: least("minCred", 100),
  minUptime: least("minUptime", 100),
  maxSilentHours: most("maxSilentHours"),
  maxFactHours: most("maxFactHours"),
})
  .partial()
  .strict()
  .meta({ description: "Tighter numbers than the service's: `policy` names them as yours, and has another hash" });

const body = object({
  url: url.optional(),
  agent: ref.optional(),
  amount: usdcUnits.optional().meta({ description: "USDC that will be paid" }),
  payTo: z
    .string()
    .regex(/^[\w:.-]{1,100}$/, { error: "must be an address" })
    .optional()
    .meta({ description: "Who will be paid" }),
  terms: terms.optional(),
  thresholds: thresholds.optional(),
  live: z.boolean().optional().meta({ description: "Requests the URL's terms now, two seconds at most" }),
})
  .strict()
  .refine((given) => given.url !== undefined || given.agent !== undefined, { error: "needs url or agent" })
  .meta({ id: "PreflightRequest" });
type Asked = z.output<typeof body>;

export const preflightEndpoint = endpoint({
  method: "post",
  path: "/api/v2/preflight",
  operationId: "preflight",
  tag: "Agents",
  summary: "Whether to pay: allow, review, deny or unrated, with reasons, the largest amount, and a signature",
  description:
    "Of a URL, an agent, or both. Judged by what others cannot buy or say: whose the endpoint is shown to be, the wallet that its registry has proven, what independent payers have paid by payments of more than a week ago whose money is shown not to go round, when it answered our requests, since when its owner has it with this wallet, whether its terms left the wallet lately. No name, text, review or rank moves it. The verdict is about USDC on this chain paid to `payTo`, and nobody else. It is a pure function of the inputs in `payload`.",
  guard: { bucket: "reads" },
  data: true,
  query: object({ minBlock }),
  body,
  responses: { 200: { description: "The verdict", schema: preflightSchema } },
  async handler({ deps, body, query, now, networks, count }) {
    await waitForDirectory(deps, query.minBlock);
    if (body.live) await count("live-terms", networks);
    const key = JSON.stringify(body, (_, value) => (typeof value === "bigint" ? String(value) : value));
    const isKept = !body.live && query.minBlock === undefined;
    const kept = isKept ? deps.preflights.get(key, now) : undefined;
    const answer = kept ?? answerOf(deps, body, now);
    if (isKept && !kept) {
      deps.preflights.set(key, answer, now + FRESH_MS);
      answer.catch(() => deps.preflights.drop(key, answer));
    }
    return written<PreflightView>(await answer);
  },
});

async function answerOf(deps: HandlerDeps, body: Asked, now: number): Promise<string> {
  const { inputs, ...found } = preflight(await inputsOf(deps, body, now));
  const { payload, message } = verdictMessage({ ...found, inputs });
  const domain = receiptDomain(deps.config);
  const signer = deps.receipts;
  const view: PreflightView = {
    ...found,
    payload,
    receipt: signer && {
      algorithm: "EIP-712",
      signature: await signer.sign(typedDigest(VERDICT_TYPES, domain, message)),
      signer: checksum(signer.address),
      domain: { ...domain, verifyingContract: checksum(domain.verifyingContract) },
      types: { PaymentVerdict: [...VERDICT_TYPES.PaymentVerdict] },
      primaryType: "PaymentVerdict",
      message,
    },
  };
  return JSON.stringify(view);
}

async function inputsOf({ db, config, liveTerms }: HandlerDeps, given: Asked, now: number): Promise<PreflightInputs> {
  const { agent = null, url = null, amount, live, terms = [] } = given;
  const { maxAmount, ...own } = given.thresholds ?? {};
  const payTo = given.payTo === undefined ? null : (parseAddress(given.payTo) ?? given.payTo);
  const payees = [payTo, ...terms.map((one) => parseAddress(one.payTo))].filter((one) => one !== null);
  const id = agent === null ? null : await findDirectoryId(db, agent);
  const facts =
    agent !== null && id === null ? null : await preflightFacts(db, { id, url, payees, now: new Date(now) });
  return {
    network: `eip155:${config.chain.id}`,
    asked: { agent, url, amount: amount === undefined ? null : String(amount), payTo, terms },
    thresholds: { ...own, ...(maxAmount !== undefined && { maxUnits: Number(maxAmount) }) },
    now: new Date(now).toISOString(),
    facts,
    // A stranger has nobody asked who is not shown to be an agent's.
    live:
      live && url !== null && facts?.endpoints.some(({ confirmedBy }) => confirmedBy !== null)
        ? await liveTerms(url)
        : null,
  };
}
