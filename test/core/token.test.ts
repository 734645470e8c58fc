/** Whether a wallet deployed a contract follows from addresses alone. */
import { getContractAddress } from "viem";
import { expect, it } from "vitest";
import { DEPLOYMENTS_TRIED, isDeployedBy } from "../../core/directory/token.ts";

const SENDER = "0x6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0";
// Ethereum's own examples of addresses made by CREATE.
const BY_NONCE = [
  "0xcd234a471b72ba2f1ccf0a70fcaba648a5eecd8d",
  "0x343c43a37d37dff08ae8c4a11544c718abb4fcf8",
  "0xf778b86fa74e846c4f0a1fbd1335fe81c00a0c91",
  "0xfffd933a0bc612844eaf0c6fe3e5b8e9b6c1d19c",
] as const;

it.each(BY_NONCE.map((contract, nonce) => [contract, nonce] as const))(
  "finds the deployment of %s",
  (contract, nonce) => {
    expect(isDeployedBy(SENDER, nonce + 1, contract)).toBe(true);
    expect(isDeployedBy(SENDER, nonce, contract)).toBe(false);
  },
);

it("looks at a bounded number of transactions", () => {
  const made = (nonce: number) =>
    getContractAddress({ from: SENDER, nonce: BigInt(nonce) }).toLowerCase() as `0x${string}`;
  expect(isDeployedBy(SENDER, Number.MAX_SAFE_INTEGER, made(DEPLOYMENTS_TRIED))).toBe(false);
  expect(isDeployedBy(SENDER, Number.MAX_SAFE_INTEGER, made(DEPLOYMENTS_TRIED - 1))).toBe(true);
});
