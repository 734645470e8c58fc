/** Payments made by hand: authorizations as a wallet signs them, payloads before their encoding. */
import { type Hex, type PrivateKeyAccount, toHex } from "viem";
import { TRANSFER_WITH_AUTHORIZATION } from "../core/payments/transfer-with-authorization.ts";
import { CANONICAL } from "../devnet/chain-addresses.ts";

/** What of an authorization a test may want otherwise. */
export type Terms = Partial<{
  to: Hex;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: Hex;
  domain: Partial<{ name: string; version: string; chainId: number; verifyingContract: Hex }>;
}>;
export type SignedPayment = Awaited<ReturnType<typeof signAuthorization>>;

/** The domain that payers of USDC sign over. */
const USDC = { name: "USD Coin", version: "2", chainId: 8453, verifyingContract: CANONICAL.usdc };

export const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64");
export const unbase64 = (text: string | null) => JSON.parse(Buffer.from(text ?? "", "base64").toString());

export async function signAuthorization(
  account: Pick<PrivateKeyAccount, "address" | "signTypedData">,
  terms: Terms & { to: Hex; value: bigint },
) {
  const authorization = {
    from: account.address,
    to: terms.to,
    value: terms.value,
    validAfter: terms.validAfter ?? 0n,
    validBefore: terms.validBefore ?? BigInt(Math.floor(Date.now() / 1000) + 290),
    nonce: terms.nonce ?? toHex(crypto.getRandomValues(new Uint8Array(32))),
  };
  const domain = { ...USDC, ...terms.domain };
  const signature = await account.signTypedData({
    domain,
    types: TRANSFER_WITH_AUTHORIZATION,
    primaryType: "TransferWithAuthorization",
    message: authorization,
  });
  return { authorization, signature };
}

/** The signature that cancels an unused authorization. */
export const signCancellation = (account: Pick<PrivateKeyAccount, "address" | "signTypedData">, nonce: Hex) =>
  account.signTypedData({
    domain: USDC,
    types: {
      CancelAuthorization: [
        { name: "authorizer", type: "address" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "CancelAuthorization",
    message: { authorizer: account.address, nonce },
  });

/** A payload of version 2, before its encoding. */
export const payloadOf = ({ authorization, signature }: SignedPayment) => ({
  x402Version: 2,
  accepted: {
    scheme: "exact",
    network: "eip155:8453",
    amount: String(authorization.value),
    asset: CANONICAL.usdc,
    payTo: authorization.to,
    maxTimeoutSeconds: 300,
    extra: { name: "USD Coin", version: "2" },
  },
  payload: {
    signature,
    authorization: {
      ...authorization,
      value: String(authorization.value),
      validAfter: String(authorization.validAfter),
      validBefore: String(authorization.validBefore),
    },
  },
});
