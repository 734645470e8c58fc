/** The contracts speak exactly the interfaces that are live on Base, and what is committed is what the sources say. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Abi, type AbiFunction, getAbiItem, keccak256, toBytes, toEventSelector, toFunctionSelector } from "viem";
import { describe, expect, test } from "vitest";
import { attestationIndexerAbi } from "../../abis/attestation-indexer.ts";
import { easAbi } from "../../abis/eas.ts";
import { erc8004IdentityAbi, erc8004ReputationAbi, erc8004ValidationAbi } from "../../abis/erc8004.ts";
import { handshakesAbi } from "../../abis/handshakes.ts";
import { identityAbi } from "../../abis/identity.ts";
import { multicall3Abi } from "../../abis/multicall3.ts";
import { usdcAbi } from "../../abis/usdc.ts";
import { readBuild } from "../../contracts/builds.ts";
import { CANONICAL, EXCHANGE_SCHEMAS, schemaUid } from "../../devnet/chain-addresses.ts";
import { deepIt } from "../support/share.ts";

const eventsOf = (abi: Abi) =>
  Object.fromEntries(abi.filter((e) => e.type === "event").map((e) => [e.name, toEventSelector(e)]));
const selectorsOf = (abi: Abi) =>
  abi.filter((e) => e.type === "function").map((e) => `${e.name} ${toFunctionSelector(e)}`);

/** Known of the live contracts: topic0 of each event, `name selector` of each function. */
const LIVE: { contract: string; abi: Abi; events: Record<string, string>; functions: string[] }[] = [
  {
    contract: "identity token",
    abi: identityAbi,
    events: {
      AgentRegistered: "0x33fbfc1a38a84cdbcb4f7447934790fa9fbde65c43076c8bbeb0f8078a2310f3",
      Transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
      AgentVerified: "0xcdeecfb48d8c6298680b7d041fcc31e123e9b5894df6c70241fe555508334217",
      CoinbaseVerified: "0x12e4b9aa16449f9c0d53fad6fd0743c3e4913327c2ba6d80063b0861e5dba1cb",
      Mutated: "0x179f1b3cf8034de3162d11a4748ef1d5a583f0039fa04a578e8496a7eedacbaa",
      TraitAdded: "0xbc61cc3832b0076cf9aaf86723393f1fa81787bdfd9db2a82a2f654ef599247a",
      NarrativeSet: "0x566aec7326ec795cc5d8ff7dcfecaeb633e20e2cdf5d1bee8d1280adacf70279",
      NameRegistered: "0xf2c15afa763f37050f1d13e59f6510941bcf6deae7f22c5c84bf8c6a4cc33f5c",
      PointsAwarded: "0x7a8d82c81a46f74e22b712ab1a42b6864c3a0c4033d974d9a0680ee749774a9e",
      NameTransferred: "0xea3298815689e7c88c8a95c13838806450c4cee965a7c33dda77b335f6456578",
      CredScoreUpdated: "0xea8cbe93222ea6f7b71c01a0b508325c970806a2a5f275884f6dd213d8bdf5fd",
    },
    functions: [
      ...["mint 0x3866d8a4", "register 0x8d59cc02", "mintWithSIWA 0xe571e15b", "mintFor 0xb0ab714f"],
      ...["getAgent 0x2de5aaf7", "getPersonality 0x1ade97f7", "getNarrative 0x75e7f367", "getTraits 0xe1dc0761"],
      ...["setPersonality 0xd0ac5664", "setNarrative 0x1e3bc657", "addTrait 0x27dfa7ea", "registerName 0xc3f64523"],
      ...["resolveName 0xbc19bce5", "nameOf 0x051a2664", "points 0x9799b4e7", "getCredScore 0x12d10e30"],
      ...["getCredBreakdown 0xaca31f1d", "coinbaseVerified 0x978b2afc", "setCoinbaseVerified 0x3bb81558"],
      ...["hasMinted 0x38e21cce", "totalAgents 0xc5053712", "mintPrice 0x6817c76c", "verify 0x8753367f"],
      ...["awardBonusPoints 0x2ee7367f", "mutate 0xccad22de", "setMetadata 0x593aa283", "tokenURI 0xc87b56dd"],
      "setAgentWallet 0x253cd757",
    ],
  },
  {
    contract: "handshake registry",
    abi: handshakesAbi,
    events: { HandshakeCompleted: "0x5f75c67b56ebfa290a22b38cd9007ee531e0dcc424d164c08d3782ffc0f10051" },
    functions: ["isConnected 0x1ad73078", "handshakeCount 0xa7e3b788", "totalHandshakes 0x22835b85"],
  },
  {
    contract: "ERC-8004 identity registry",
    abi: erc8004IdentityAbi,
    events: {
      Transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
      Registered: "0xca52e62c367d81bb2e328eb795f7c7ba24afb478408a26c0e201d155c449bc4a",
      MetadataSet: "0x2c149ed548c6d2993cd73efe187df6eccabe4538091b33adbd25fafdb8a1468b",
      URIUpdated: "0x3a2c7fffc2cba7582c690e3b82c453ea02a308326a98a3ad7576c606336409fb",
      MetadataUpdate: "0xf8e1a15aba9398e019f0b49df1a4fde98ee17ae345cb5f6b5e2c27f5033e8ce7",
      BatchMetadataUpdate: "0x6bd5c950a8d8df17f772f5af37cb3655737899cbf903264b9795592da439661c",
      Upgraded: "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b",
    },
    functions: [
      ...["register 0x1aa3a008", "register 0xf2c298be", "register 0x8ea42286", "setAgentURI 0x0af28bd3"],
      ...["setMetadata 0x466648da", "getMetadata 0xcb4799f2", "setAgentWallet 0x2d1ef5ae"],
      ...["unsetAgentWallet 0x3fddcf19", "getAgentWallet 0x00339509", "isAuthorizedOrOwner 0xd95e72be"],
      ...["getVersion 0x0d8e6e2c", "tokenURI 0xc87b56dd", "ownerOf 0x6352211e"],
    ],
  },
  {
    contract: "ERC-8004 reputation registry",
    abi: erc8004ReputationAbi,
    events: {
      NewFeedback: "0x6a4a61743519c9d648a14e6493f47dbe3ff1aa29e7785c96c8326a205e58febc",
      FeedbackRevoked: "0x25156fd3288212246d8b008d5921fde376c71ed14ac2e072a506eb06fde6d09d",
      ResponseAppended: "0xb1c6be0b5b8aef6539e2fac0fd131a2faa7b49edf8e505b5eb0ad487d56051d4",
    },
    functions: [
      ...["giveFeedback 0x3c036a7e", "revokeFeedback 0x4ab3ca99", "appendResponse 0xc2349ab2"],
      ...["getSummary 0x81bbba58", "readAllFeedback 0xd9d84224", "readFeedback 0x232b0810"],
      ...["getClients 0x42dd519c", "getLastIndex 0xf2d81759"],
    ],
  },
  {
    contract: "ERC-8004 validation registry",
    abi: erc8004ValidationAbi,
    events: {
      ValidationRequest: "0x530436c3634a98e1e626b0898be2f1e9980cc1bd2a78c07a0aba52d0a48a5059",
      ValidationResponse: "0xafddf629e874ccc3963b6a888c477bd464a6c8525024fc88759ea3b2326349ae",
    },
    functions: [],
  },
  {
    contract: "EAS",
    abi: easAbi,
    events: {
      Attested: "0x8bf46bf4cfd674fa735a3d63ec1c9ad4153f033c290341f3a588b75685141b35",
      Revoked: "0xf930a6e2523c9cc298691873087a740550b8fc85a0680830414c148ed927f615",
    },
    functions: ["getAttestation 0xa3112a64", "isAttestationValid 0xe30bb563"],
  },
  {
    contract: "attestation indexer",
    abi: attestationIndexerAbi,
    events: { AttestationIndexed: "0x7fd54fcc14543b4db08cef4cd9fb23a6670c072d8a44cb0f1817d35b474176ca" },
    functions: ["getAttestationUid 0xab2717dd"],
  },
  {
    contract: "USDC",
    abi: usdcAbi,
    events: {
      Transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
      AuthorizationUsed: "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5",
      AuthorizationCanceled: "0x1cdd46ff242716cdaa72d159d339a485b3438398348d68f09d7c8c0a59353d81",
    },
    functions: [
      ...["transferWithAuthorization 0xe3ee160e", "transferWithAuthorization 0xcf092995"],
      ...["receiveWithAuthorization 0xef55bec6", "cancelAuthorization 0x5a049a70"],
      ...["authorizationState 0xe94a0102", "permit 0xd505accf", "nonces 0x7ecebe00", "version 0x54fd4d50"],
    ],
  },
  {
    contract: "Multicall3",
    abi: multicall3Abi,
    events: {},
    functions: [
      ...["aggregate 0x252dba42", "aggregate3 0x82ad56cb", "aggregate3Value 0x174dea71"],
      ...["tryAggregate 0xbce38bd7", "tryBlockAndAggregate 0x399542e9", "blockAndAggregate 0xc3077fa9"],
      ...["getEthBalance 0x4d2301cc", "getBlockNumber 0x42cbb15c", "getChainId 0x3408e470"],
    ],
  },
];

describe.each(LIVE)("the $contract", ({ abi, events, functions }) => {
  test("has the live events", () => expect(eventsOf(abi)).toMatchObject(events));
  test("has the live functions", () => expect(selectorsOf(abi)).toEqual(expect.arrayContaining(functions)));
});

const identityFunction = (name: string) => getAbiItem({ abi: identityAbi as Abi, name }) as AbiFunction;

test("the identity token's structs have the live members in the live order", () => {
  const membersOf = (name: string) => {
    const [output] = identityFunction(name).outputs as unknown as [{ components: AbiFunction["inputs"] }];
    return output.components.map((c) => `${c.type} ${c.name}`).join(", ");
  };
  expect(membersOf("getAgent")).toBe(
    "address agentAddress, string name, string framework, uint64 mintedAt, bool verified, bool soulbound, uint8 origin, uint16 generation, uint256 parentId, uint16 mutationCount, string currentVersion",
  );
  expect(membersOf("getPersonality")).toBe(
    "string quirks, string communicationStyle, string values, string humor, uint8 riskTolerance, uint8 autonomyLevel",
  );
  expect(membersOf("getNarrative")).toBe("string origin, string mission, string lore, string manifesto");
  expect(membersOf("getTraits")).toBe("string name, string category, uint64 addedAt");
});

test("the identity token's score has the live version's eight parts", () => {
  expect(identityFunction("getCredBreakdown").outputs).toHaveLength(8);
  expect(identityFunction("setCredWeights").inputs).toHaveLength(8);
});

test("the identity token has the live errors", () => {
  const names: string[] = identityAbi.filter((e) => e.type === "error").map((e) => e.name);
  const live = ["AlreadyMinted", "NotTokenOwner", "InvalidName", "NameTaken", "Soulbound"];
  expect(names).toEqual(
    expect.arrayContaining([...live, "InsufficientPayment", "InvalidSignature", "ExpiredDeadline", "NoAgent"]),
  );
});

test("the exchange's schema UIDs follow from their text and the resolver's address", () => {
  expect(schemaUid(EXCHANGE_SCHEMAS.verifiedAccount)).toBe(
    "0xf8b05c79f090979bf4a80270aba232dff11a10d9ca55c4f88de95317970f0de9",
  );
  expect(schemaUid(EXCHANGE_SCHEMAS.verifiedCountry)).toBe(
    "0x1801901fabd0e6189356b4fb52bb0ab855276d84f7ec140839fbd1f6801ca065",
  );
});

test("the ERC-8004 wallet consent has the canonical type", () => {
  const typehash = keccak256(
    toBytes("AgentWalletSet(uint256 agentId,address newWallet,address owner,uint256 deadline)"),
  );
  expect(typehash).toBe("0x678b53cd718d595370ab070ebf48edfdcd834beac116bf23e625fc7f4d5b7d32");
  expect(readBuild("Erc8004IdentityRegistry").bytecode).toContain(typehash.slice(2));
});

test("no two canonical contracts share an address", () => {
  const addresses = Object.values(CANONICAL);
  expect(new Set(addresses).size).toBe(addresses.length);
});

deepIt("what is committed is what the sources compile to", () => {
  const script = fileURLToPath(new URL("../../contracts/compile.ts", import.meta.url));
  const run = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
  expect(run.stderr).toBe("");
  expect(run.status).toBe(0);
});
