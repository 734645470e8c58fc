/** Payment payloads of x402, versions 2 and 1, parsed strictly, and the digest that their signer signed. */
import { encodeFunctionData, hashStruct, hashTypedData, parseAbi, parseErc6492Signature } from "viem/utils";
import { z } from "zod";
import { parsedWithoutNulls } from "../absent-nulls.ts";
import type { Address, Hex } from "../agents/facts.ts";
import { type BoundNonce, readBoundNonce } from "./payment-identifier.ts";
import { EIP712_DOMAIN, TRANSFER_WITH_AUTHORIZATION } from "./transfer-with-authorization.ts";

/** Decimal digits without sign or leading zero, at most 256 bits wide. */
const quantity = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/)
  .transform(BigInt)
  .refine((value) => value < 2n ** 256n);
const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text.toLowerCase() as Address);
const nonce = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((text) => text.toLowerCase() as Hex);
/** What an account's key made, in any of its forms, or the bytes that a contract wallet verifies. */
const signature = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2}){1,4096}$/)
  .transform((text) => text.toLowerCase() as Hex);
const word = z.string().min(1).max(64);

const payload = z.object({
  signature,
  authorization: z.object({
    from: address,
    to: address,
    value: quantity,
    validAfter: quantity,
    validBefore: quantity,
    nonce,
  }),
});

const version2 = z.object({
  x402Version: z.literal(2),
  resource: z.object({ url: z.string().max(2048) }).optional(),
  accepted: z.object({ scheme: word, network: word, amount: quantity, asset: address, payTo: address }),
  payload,
});
const version1 = z.object({ x402Version: z.literal(1), scheme: word, network: word, payload });

/** EIP-3009: `from` allows one transfer of `value` to `to` within the window; times are Unix seconds. */
export type Authorization = z.output<typeof payload>["authorization"];

/** A signed authorization and the terms it names, in the format of version 2. */
export type SignedPayment = {
  version: 1 | 2;
  scheme: string;
  /** CAIP-2. */
  network: string;
  /** The terms that the payload accepts; absent in version 1, which names none. */
  accepted: { amount: bigint; asset: Address; payTo: Address } | null;
  resourceUrl: string | null;
  /** What the client has derived the nonce from; null where it takes no part. */
  bound: BoundNonce | null;
  authorization: Authorization;
  /** Without what would deploy its wallet. */
  signature: Hex;
  /** Whether it came with what would deploy its wallet (ERC-6492). */
  wrapped: boolean;
};

/** Names of networks in version 1. */
export const V1_NETWORKS: Record<number, string> = { 8453: "base", 84532: "base-sepolia" };

/** Parses a payload of version 2. @returns the member that is missing or not of its form, as a path, where it is invalid */
export function readVersion2(json: unknown): SignedPayment | string {
  const read = parsedWithoutNulls(version2, json);
  if (!read.success) return wrongMember(read.error);
  const { accepted, resource, payload } = read.data;
  const { scheme, network, amount, asset, payTo } = accepted;
  return {
    version: 2,
    scheme,
    network,
    accepted: { amount, asset, payTo },
    resourceUrl: resource?.url ?? null,
    bound: readBoundNonce(json),
    ...unwrapped(payload),
  };
}

/** Parses a payload of version 1 into the format of version 2. @returns as `readVersion2` */
export function readVersion1(json: unknown): SignedPayment | string {
  const read = parsedWithoutNulls(version1, json);
  if (!read.success) return wrongMember(read.error);
  const { scheme, network, payload } = read.data;
  const chain = Object.entries(V1_NETWORKS).find(([, name]) => name === network);
  return {
    version: 1,
    scheme,
    network: chain ? `eip155:${chain[0]}` : network,
    accepted: null,
    resourceUrl: null,
    bound: null,
    ...unwrapped(payload),
  };
}

const wrongMember = ({ issues }: z.ZodError): string => issues[0]!.path.join(".") || "payload";

/** Takes a signature out of its wrapping; one whose wrapping cannot be read stays whole, and is nobody's signature. */
function unwrapped({ signature, authorization }: z.output<typeof payload>) {
  try {
    const inner = parseErc6492Signature(signature);
    return { authorization, signature: inner.signature, wrapped: "data" in inner };
  } catch {
    return { authorization, signature, wrapped: false };
  }
}

/** The EIP-712 domain of a token. */
export type TokenDomain = { name: string; version: string; chainId: number; verifyingContract: Address };

/** The digest that the payer's key signed. */
export const authorizationDigest = (authorization: Authorization, domain: TokenDomain): Hex =>
  hashTypedData({
    domain,
    types: TRANSFER_WITH_AUTHORIZATION,
    primaryType: "TransferWithAuthorization",
    message: authorization,
  });

/** With the signature as bytes: an account's key and a contract wallet alike. */
const TRANSFER = parseAbi([
  "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)",
]);

/** Calldata of the transfer that an authorization allows; anybody may send it. */
export const transferData = ({ from, to, value, validAfter, validBefore, nonce }: Authorization, signature: Hex): Hex =>
  encodeFunctionData({ abi: TRANSFER, args: [from, to, value, validAfter, validBefore, nonce, signature] });

/** EIP-712 name by chain id: it differs between USDC's deployments. */
const NAMES: Record<number, string> = { 8453: "USD Coin", 84532: "USDC" };

/** The domain of USDC on a chain; all known deployments have version 2. */
export const usdcDomain = (chainId: number, verifyingContract: Address): TokenDomain => ({
  name: NAMES[chainId] ?? "USD Coin",
  version: "2",
  chainId,
  verifyingContract,
});

/** The value that the token's `DOMAIN_SEPARATOR()` returns if the domain is right. */
export const domainSeparator = (domain: TokenDomain): Hex =>
  hashStruct({
    data: { ...domain, chainId: BigInt(domain.chainId) },
    primaryType: "EIP712Domain",
    types: { EIP712Domain: EIP712_DOMAIN },
  });
