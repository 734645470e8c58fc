/** USDC: transfers by authorization, by keys and by contract wallets, once each; permits; the real domain. */
import { type Hex, parseSignature, toHex } from "viem";
import { describe, expect, test } from "vitest";
import { usdcAbi } from "../../abis/usdc.ts";
import { contractWorld, eventsOf } from "../support/contract-world.ts";
import { perFile } from "../support/started.ts";

const world = perFile(contractWorld);
const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const usdc = perFile(() => world.at(USDC, usdcAbi));
const domain = { name: "USD Coin", version: "2", chainId: 8453, verifyingContract: USDC } as const;
const PERIOD = [
  { name: "value", type: "uint256" },
  { name: "validAfter", type: "uint256" },
  { name: "validBefore", type: "uint256" },
  { name: "nonce", type: "bytes32" },
] as const;
const MOVE = [{ name: "from", type: "address" }, { name: "to", type: "address" }, ...PERIOD] as const;
const types = {
  TransferWithAuthorization: MOVE,
  ReceiveWithAuthorization: MOVE,
  CancelAuthorization: [
    { name: "authorizer", type: "address" },
    { name: "nonce", type: "bytes32" },
  ],
  Permit: [
    { name: "owner", type: "address" },
    { name: "spender", type: "address" },
    { name: "value", type: "uint256" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint256" },
  ],
} as const;

let lastNonce = 0;
type Move = { from: Hex; to: Hex; value: bigint; validAfter: bigint; validBefore: bigint; nonce: Hex };

async function move(changes: Partial<Move> = {}): Promise<Move> {
  return {
    from: world.devnet.accounts[0]!.address,
    to: world.devnet.accounts[1]!.address,
    value: 1_000_000n,
    validAfter: 0n,
    validBefore: (await world.now()) + 600n,
    nonce: toHex(++lastNonce, { size: 32 }),
    ...changes,
  };
}

const sign = (
  message: Move,
  signer = 0,
  primaryType: "TransferWithAuthorization" | "ReceiveWithAuthorization" = "TransferWithAuthorization",
) => world.people[signer]!.signTypedData({ domain, types, primaryType, message });

const argsOf = (m: Move) => [m.from, m.to, m.value, m.validAfter, m.validBefore, m.nonce] as const;

/** Somebody else presents the authorization. */
const present = (m: Move, signature: Hex) =>
  usdc.as(world.people[5]!).write.transferWithAuthorization([...argsOf(m), signature]);

const presentSplit = (m: Move, signature: Hex) => {
  const { r, s, v } = parseSignature(signature);
  return usdc.as(world.people[5]!).write.transferWithAuthorization([...argsOf(m), Number(v), r, s]);
};

const balanceOf = (owner: Hex) => usdc.read.balanceOf([owner]);
const mint = (to: Hex, units: bigint) => world.mined(usdc.as(world.operator).write.mint([to, units]));
const isUsed = (authorizer: Hex, nonce: Hex) => usdc.read.authorizationState([authorizer, nonce]);

test("it is USDC as clients know it", async () => {
  const { name, symbol, version, decimals } = usdc.read;
  expect([await name(), await symbol(), await version(), await decimals()]).toEqual(["USD Coin", "USDC", "2", 6]);
  expect(await balanceOf(world.devnet.accounts[9]!.address)).toBe(1_000_000_000n);
});

test("only the minter creates money", async () => {
  const to = world.devnet.accounts[0]!.address;
  await expect(usdc.as(world.people[0]!).write.mint([to, 1n])).rejects.toThrow("caller is not a minter");
  const before = await balanceOf(to);
  await mint(to, 5n);
  expect(await balanceOf(to)).toBe(before + 5n);
});

describe("an authorization", () => {
  test.each([
    ["as bytes", present],
    ["as v, r, s", presentSplit],
  ])("moves the money once, %s", async (_, show) => {
    const m = await move();
    const before = await balanceOf(m.to);
    const signature = await sign(m);
    const receipt = await world.mined(show(m, signature));
    expect(eventsOf(receipt, usdcAbi)).toEqual([
      ["AuthorizationUsed", { authorizer: m.from, nonce: m.nonce }],
      ["Transfer", { from: m.from, to: m.to, value: m.value }],
    ]);
    expect(await balanceOf(m.to)).toBe(before + m.value);
    expect(await isUsed(m.from, m.nonce)).toBe(true);
    await expect(show(m, signature)).rejects.toThrow("authorization is used or canceled");
  });

  test("is bound to every word of it", async () => {
    const m = await move();
    const signature = await sign(m);
    const changes: Partial<Move>[] = [
      { value: m.value + 1n },
      { to: world.devnet.accounts[2]!.address },
      { from: world.devnet.accounts[3]!.address },
      { validBefore: m.validBefore + 1n },
      { validAfter: 1n },
      { nonce: toHex(2n ** 200n, { size: 32 }) },
    ];
    for (const change of changes) {
      await expect(present({ ...m, ...change }, signature)).rejects.toThrow("invalid signature");
    }
    await expect(present(m, await sign(m, 4))).rejects.toThrow("invalid signature");
    await expect(present(m, await sign(m, 0, "ReceiveWithAuthorization"))).rejects.toThrow("invalid signature");
    await expect(present(m, "0x")).rejects.toThrow("invalid signature");
  });

  test("holds in its period only", async () => {
    const now = await world.now();
    const early = await move({ validAfter: now + 500n });
    const late = await move({ validBefore: now });
    await expect(present(early, await sign(early))).rejects.toThrow("authorization is not yet valid");
    await expect(present(late, await sign(late))).rejects.toThrow("authorization is expired");
  });

  test("cannot move more than there is", async () => {
    const m = await move({ value: 10n ** 18n });
    await expect(present(m, await sign(m))).rejects.toThrow("ERC20InsufficientBalance");
    expect(await isUsed(m.from, m.nonce)).toBe(false);
  });

  test("can be cancelled by its author, and then is worth nothing", async () => {
    const m = await move();
    const message = { authorizer: m.from, nonce: m.nonce };
    const signed = (signer: number) =>
      world.people[signer]!.signTypedData({ domain, types, primaryType: "CancelAuthorization", message });
    const cancel = async (signer: number) =>
      usdc.as(world.people[5]!).write.cancelAuthorization([m.from, m.nonce, await signed(signer)]);
    await expect(cancel(1)).rejects.toThrow("invalid signature");
    expect(eventsOf(await world.mined(cancel(0)), usdcAbi)).toEqual([["AuthorizationCanceled", message]]);
    await expect(present(m, await sign(m))).rejects.toThrow("authorization is used or canceled");
    await expect(cancel(0)).rejects.toThrow("authorization is used or canceled");
  });

  test("to receive is for the payee alone", async () => {
    const m = await move();
    const signature = await sign(m, 0, "ReceiveWithAuthorization");
    const receive = (person: number) =>
      usdc.as(world.people[person]!).write.receiveWithAuthorization([...argsOf(m), signature]);
    await expect(receive(5)).rejects.toThrow("caller must be the payee");
    await world.mined(receive(1));
    expect(await isUsed(m.from, m.nonce)).toBe(true);
  });

  test("may come from a contract wallet, which signs by its key", async () => {
    const wallet = await world.deploy("ContractWallet", [world.devnet.accounts[0]!.address]);
    await mint(wallet, 2_000_000n);
    const m = await move({ from: wallet });
    await expect(present(m, await sign(m, 4))).rejects.toThrow("invalid signature");
    await world.mined(present(m, await sign(m)));
    expect(await balanceOf(wallet)).toBe(1_000_000n);
  });
});

test("a permit sets the allowance once", async () => {
  const [owner, spender] = [world.devnet.accounts[0]!.address, world.devnet.accounts[6]!.address];
  const nonce = await usdc.read.nonces([owner]);
  const message = { owner, spender, value: 77n, nonce, deadline: (await world.now()) + 600n };
  const signature = await world.people[0]!.signTypedData({ domain, types, primaryType: "Permit", message });
  const { r, s, v } = parseSignature(signature);
  const permit = (deadline: bigint) =>
    usdc.as(world.people[6]!).write.permit([owner, spender, 77n, deadline, Number(v), r, s]);
  await expect(permit(1n)).rejects.toThrow("permit is expired");
  await world.mined(permit(message.deadline));
  expect(await usdc.read.allowance([owner, spender])).toBe(77n);
  await expect(permit(message.deadline)).rejects.toThrow("invalid signature");
});
