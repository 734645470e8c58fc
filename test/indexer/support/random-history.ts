/** Random histories of the identity contract and of EAS: direct calls, calls through contracts, odd encodings, silent changes. */
import fc from "fast-check";
import {
  type Abi,
  concat,
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  pad,
  parseAbiParameters,
  parseEther,
  toFunctionSelector,
  toHex,
  zeroHash,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { easAbi } from "../../../abis/eas.ts";
import { identityAbi } from "../../../abis/identity.ts";
import { readBuild } from "../../../contracts/builds.ts";
import { type IndexWorld, someone } from "../../support/index-world.ts";

/** Becomes bytes that are not UTF-8. */
const NOT_UTF8 = "~~~~";
const PLAIN = ["", "a", "plain", "🪐".repeat(40), "x".repeat(700)];
/** Texts that decoders change, so that their inputs are not decoded: a byte order mark, a NUL, bytes beyond UTF-8. */
const ODD = ["\ufeffmarked", "\0nul", `odd ${NOT_UTF8} bytes`];
const text = fc.constantFrom(...PLAIN, ...PLAIN, ...PLAIN, ...PLAIN, ...ODD);
const uint8 = fc.integer({ min: 0, max: 255 });
const personality = fc.record({
  quirks: text,
  communicationStyle: text,
  values: text,
  humor: text,
  riskTolerance: uint8,
  autonomyLevel: uint8,
});
const narrative = fc.record({ origin: text, mission: text, lore: text, manifesto: text });

/** What a transaction does; `token` and `who` are taken modulo what there is. */
const act = fc.record({
  /** An act with a weight is drawn more often. */
  kind: fc.constantFrom(
    ...(["mint", "register", "siwa", "mintFor", "mintFor", "reenter", "personality", "personality"] as const),
    ...(["narrative", "narrative", "text", "text", "text", "wallet", "trait", "mutate", "verify"] as const),
    ...(["approve", "transfer", "name", "bonus", "attest", "attest", "revoke"] as const),
  ),
  who: fc.nat(),
  token: fc.nat(),
  texts: fc.tuple(text, text, text),
  flag: fc.boolean(),
  personality,
  narrative,
  field: fc.constantFrom("setOrigin", "setMission", "setLore", "setManifesto"),
  /** How the call reaches the contract. */
  way: fc.constantFrom("direct", "direct", "trailing", "reordered", "through", "twice"),
});
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** Acts by block. */
export const randomHistory = (blocks: number) =>
  fc.array(fc.array(act, { minLength: 1, maxLength: 6 }), { minLength: blocks, maxLength: blocks });

const GAS = 6_000_000n;
const KEYS = 7_000_000;

/**
 * Runs a history, one block per list of acts. Acts that the contracts refuse are transactions without an event.
 * @returns the number of the last block
 */
export async function runHistory(world: IndexWorld, history: Act[][]): Promise<number> {
  const { chain, contracts, owner, devnet } = world;
  const people = [someone(101), someone(102), someone(103)];
  const attester = devnet.attesters[1]!;
  for (const account of [...people, attester, owner])
    await chain.setBalance({ address: account, value: parseEther("1000") });
  const read = { address: contracts.identity, abi: identityAbi } as const;
  const price = await chain.readContract({ ...read, functionName: "mintPrice" });
  const { abi, bytecode } = readBuild("ContractWallet");
  /** A contract account that its key directs, and that owns tokens. */
  const key = people[0]!;
  const deployed = await chain.waitForTransactionReceipt({
    hash: await chain.sendTransaction({
      account: key,
      data: encodeDeployData({ abi: abi as Abi, bytecode, args: [key] }),
    }),
  });
  const account = deployed.contractAddress!;
  await chain.setBalance({ address: account, value: parseEther("1000") });
  const uids: Hex[] = [];
  let made = 0;

  const call = (functionName: string, args: readonly unknown[]) =>
    broken(encodeFunctionData({ abi: identityAbi, functionName, args } as never));
  const send = (from: Hex, to: Hex, data: Hex, value = 0n) =>
    chain.sendTransaction({ account: from, to, data, value, gas: GAS });
  const execute = (to: Hex, data: Hex, value = 0n) =>
    send(key, account, encodeFunctionData({ abi: abi as Abi, functionName: "execute", args: [to, value, data] }));
  /** Sends a call of the identity contract the way that the act says. */
  async function act({ way, texts }: Act, from: Hex, data: Hex, value = 0n): Promise<void> {
    if (way === "through") await execute(contracts.identity, data, value);
    else if (way === "trailing") await send(from, contracts.identity, concat([data, "0x62617365"]), value);
    else await send(from, contracts.identity, data, value);
    if (way === "twice" && texts[0] !== "") await send(from, contracts.identity, data, value);
  }

  await chain.setAutomine(false);
  for (const block of history) {
    const next = await chain.readContract({ ...read, functionName: "totalAgents" });
    for (const each of block) {
      const who = people[each.who % people.length]!;
      const token = next === 0n ? 0n : BigInt(each.token) % next;
      const holder = next === 0n ? who : await chain.readContract({ ...read, functionName: "ownerOf", args: [token] });
      const sender = each.flag ? owner : holder;
      const [one, two] = each.texts;
      const fresh = privateKeyToAccount(numberToHex(KEYS + ++made, { size: 32 }));
      const minter = someone(200_000 + made);
      await chain.setBalance({ address: minter, value: parseEther("10") });
      switch (each.kind) {
        case "mint":
          await act(each, minter, call("mint", [fresh.address, one, two, each.flag]), price);
          break;
        case "register":
          await act(each, minter, call("register", [minter, one, two]), price);
          break;
        case "siwa": {
          const deadline = 2n ** 40n;
          const signature = await fresh.signTypedData({
            domain: { name: "Helixa", version: "2", chainId: 8453, verifyingContract: contracts.identity },
            types: { SIWAVerification: SIWA },
            primaryType: "SIWAVerification",
            message: { agentAddress: fresh.address, agentId: next, nonce: 0n, deadline },
          });
          await act(
            each,
            minter,
            call("mintWithSIWA", [fresh.address, one, two, each.flag, deadline, signature]),
            price,
          );
          break;
        }
        case "mintFor": {
          const to = each.who % 4 === 3 ? account : who;
          await act(each, owner, call("mintFor", [to, fresh.address, one, two, false, each.who % 4]));
          break;
        }
        case "reenter": {
          await chain.setCode({
            address: minter,
            bytecode: minting(call("mint", [minter, one, "nested", true]), price),
          });
          await act(each, owner, call("mintFor", [minter, minter, one, two, false, 0]));
          break;
        }
        case "personality":
          await act(each, sender, call("setPersonality", [token, each.personality]));
          break;
        case "narrative":
          await act(each, sender, call("setNarrative", [token, each.narrative]));
          break;
        case "text":
          await act(
            each,
            sender,
            each.way === "reordered" ? reordered(each.field, token) : call(each.field, [token, one]),
          );
          break;
        case "wallet": {
          const signature = await fresh.signTypedData({
            domain: { name: "Helixa", version: "2", chainId: 8453, verifyingContract: contracts.identity },
            types: { SetAgentWallet: SET_WALLET },
            primaryType: "SetAgentWallet",
            message: { tokenId: token, newWallet: fresh.address },
          });
          await act(each, sender, call("setAgentWallet", [token, fresh.address, signature]));
          break;
        }
        case "trait":
          await act(each, sender, call("addTrait", [token, one, two]));
          break;
        case "mutate":
          await act(each, sender, call("mutate", [token, one]));
          break;
        case "verify":
          await act(each, owner, call("verify", [token]));
          break;
        case "approve":
          await act(each, holder, call("approve", [who, token]));
          break;
        case "transfer":
          await act(each, holder, call("transferFrom", [holder, each.flag ? account : who, token]));
          break;
        case "name":
          await act(each, sender, call("registerName", [token, `name-${made}`]));
          break;
        case "bonus":
          await act(each, owner, call("awardBonusPoints", [token, 7n, each.flag ? "update_personality" : one]));
          break;
        case "attest": {
          const data = encodeAbiParameters(parseAbiParameters("bool"), [each.who % 5 !== 0]);
          const terms = { expirationTime: each.flag ? 0n : 2n ** 41n, revocable: true, refUID: zeroHash };
          const request = {
            schema: devnet.schemas.verifiedAccount,
            data: { ...terms, recipient: who, data, value: 0n },
          };
          const input = encodeFunctionData({ abi: easAbi, functionName: "attest", args: [request] });
          await send(attester, each.token % 2 === 0 ? devnet.attesters[0]! : contracts.eas, input);
          break;
        }
        case "revoke": {
          const uid = uids.at(each.token % Math.max(1, uids.length));
          if (uid === undefined) break;
          const request = { schema: devnet.schemas.verifiedAccount, data: { uid, value: 0n } };
          await send(
            attester,
            contracts.eas,
            encodeFunctionData({ abi: easAbi, functionName: "revoke", args: [request] }),
          );
        }
      }
    }
    await chain.mine({ blocks: 1 });
    const blockHash = (await chain.getBlock()).hash;
    const attested = await chain.getLogs({ address: contracts.eas, blockHash });
    uids.push(...attested.map(({ data }) => data));
  }
  await chain.setAutomine(true);
  return Number(await chain.getBlockNumber());
}

const SIWA = [
  { name: "agentAddress", type: "address" },
  { name: "agentId", type: "uint256" },
  { name: "nonce", type: "uint256" },
  { name: "deadline", type: "uint256" },
] as const;
const SET_WALLET = [
  { name: "tokenId", type: "uint256" },
  { name: "newWallet", type: "address" },
] as const;

/** The same call with bytes that are not UTF-8 in the place of their mark. */
const broken = (data: Hex): Hex => data.replaceAll(toHex(NOT_UTF8).slice(2), "fffefdfc") as Hex;

/** A call `name(uint256,string)` whose text stands one word later than usual: valid for Solidity, and not canonical. */
function reordered(name: string, tokenId: bigint): Hex {
  const word = (value: bigint) => pad(numberToHex(value), { size: 32 });
  const offset = word(96n);
  const junk = keccak256("0x01");
  const content = concat([word(5n), pad(toHex("later"), { dir: "right", size: 32 })]);
  return concat([toFunctionSelector(`${name}(uint256,string)`), word(tokenId), offset, junk, content]);
}

/** Code of a receiver of tokens that calls the token's contract once, when its first token arrives. */
function minting(data: Hex, value: bigint): Hex {
  const length = numberToHex((data.length - 2) / 2, { size: 2 });
  const code = (returnAt: Hex, dataAt: Hex) =>
    concat([
      ...(["0x600054", "0x60", returnAt, "0x57", "0x6001600055"] as const),
      ...(["0x61", length, "0x61", dataAt, "0x600039"] as const),
      ...(["0x60006000", "0x61", length, "0x6000", "0x7f", numberToHex(value, { size: 32 }), "0x335af150"] as const),
      ...(["0x5b", "0x63150b7a0260e01b60005260206000f3"] as const),
    ]);
  const draft = code("0x00", "0x0000");
  const size = (draft.length - 2) / 2;
  // The last 17 bytes are the return: a jump destination, and 16 bytes of code.
  return concat([code(numberToHex(size - 17, { size: 1 }), numberToHex(size, { size: 2 })), data]);
}
