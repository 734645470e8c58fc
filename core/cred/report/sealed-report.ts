/** The cred report as it is sold, with its receipt, and the check of a receipt. */
import { array, object, z } from "zod";
import { address, bytes32, score, tier, url } from "../../views/fields.ts";
import { reportSchema } from "./cred-report.ts";
import { RECEIPT_PRIMARY_TYPE } from "./receipt.ts";

const receipt = object({
  reportId: z.string(),
  payload: z.string().meta({ description: "The report as the JSON text whose keccak256 the receipt binds" }),
  signature: z.string().regex(/^0x[0-9a-f]{130}$/),
  algorithm: z.literal("EIP-712"),
  signer: address,
  domain: object({
    name: z.string(),
    version: z.literal("1"),
    chainId: z.int(),
    verifyingContract: address,
  }),
  types: z.record(z.string(), array(object({ name: z.string(), type: z.string() }))),
  primaryType: z.literal(RECEIPT_PRIMARY_TYPE),
  message: object({
    reportId: z.string(),
    tokenId: z.string().regex(/^\d+$/),
    score,
    tier,
    payloadHash: bytes32,
    generatedAt: z.string().regex(/^\d+$/).meta({ description: "Milliseconds since 1970" }),
    payment: z.string(),
  }),
  verifyEndpoint: url,
}).meta({ id: "Receipt" });

export const credReportSchema = object({ ...reportSchema.shape, receipt }).meta({ id: "CredReport" });
/** `payload` is the report as the signed text. */
export type SealedReport = z.output<typeof credReportSchema>;

export const receiptCheckSchema = object({
  valid: z.boolean(),
  report: reportSchema.nullable().meta({ description: "What the receipt is about; null when not valid" }),
}).meta({ id: "ReceiptCheck" });
