/** The exchange's attestations: the real EAS, its schemas, who may attest, and the indexer that finds them. */
import { type Abi, encodeAbiParameters, type Hex, zeroAddress, zeroHash } from "viem";
import { describe, expect, test } from "vitest";
import { attestationIndexerAbi } from "../../abis/attestation-indexer.ts";
import { easAbi, schemaRegistryAbi } from "../../abis/eas.ts";
import { readBuild } from "../../contracts/builds.ts";
import { type ContractWorld, contractWorld, eventsOf } from "../support/contract-world.ts";
import { perFile } from "../support/started.ts";

const world = perFile(contractWorld);
const VERIFIED_ACCOUNT = "0xf8b05c79f090979bf4a80270aba232dff11a10d9ca55c4f88de95317970f0de9";
const VERIFIED_COUNTRY = "0x1801901fabd0e6189356b4fb52bb0ab855276d84f7ec140839fbd1f6801ca065";
const RESOLVER = "0xD867CbEd445c37b0F95Cc956fe6B539BdEf7F32f";
const eas = perFile(() => world.at("0x4200000000000000000000000000000000000021", easAbi));
const registry = perFile(() => world.at("0x4200000000000000000000000000000000000020", schemaRegistryAbi));
const indexer = perFile(() => world.at("0x2c7eE1E5f416dfF40054c27A62f7B357C4E8619C", attestationIndexerAbi));
const YES = encodeAbiParameters([{ type: "bool" }], [true]);

const request = (recipient: Hex, schema: Hex = VERIFIED_ACCOUNT, data: Hex = YES) => ({
  schema,
  data: { recipient, expirationTime: 0n, revocable: true, refUID: zeroHash, data, value: 0n },
});
const attest = (wallet: ContractWorld["attester"], recipient: Hex, schema?: Hex) =>
  eas.as(wallet).write.attest([request(recipient, schema)]);
const revoke = (wallet: ContractWorld["attester"], uid: Hex) =>
  eas.as(wallet).write.revoke([{ schema: VERIFIED_ACCOUNT, data: { uid, value: 0n } }]);
const indexed = (recipient: Hex, schema: Hex = VERIFIED_ACCOUNT) => indexer.read.getAttestationUid([recipient, schema]);
const attestation = (uid: Hex) => eas.read.getAttestation([uid]);

describe("the schemas", () => {
  test.each([
    [VERIFIED_ACCOUNT, "bool verifiedAccount"],
    [VERIFIED_COUNTRY, "string verifiedCountry"],
  ] as const)("%s is registered", async (uid, schema) => {
    expect(await registry.read.getSchema([uid])).toEqual({
      uid,
      schema,
      resolver: RESOLVER,
      revocable: true,
    });
  });

  test("EAS uses this registry", async () => {
    expect(await eas.read.getSchemaRegistry()).toBe(registry.address);
  });
});

describe("an attestation of the exchange", () => {
  test("is found by its recipient, and stays found when it is revoked", async () => {
    const recipient = world.devnet.accounts[0]!.address;
    const attester = world.attester.account.address;
    expect(await indexed(recipient)).toBe(zeroHash);
    const receipt = await world.mined(attest(world.attester, recipient));
    const uid = await indexed(recipient);
    expect(eventsOf(receipt, [...easAbi, ...attestationIndexerAbi])).toEqual([
      ["Attested", { recipient, attester, uid, schemaUID: VERIFIED_ACCOUNT }],
      ["AttestationIndexed", { indexer: RESOLVER, recipient, schema: VERIFIED_ACCOUNT, uid }],
    ]);
    const time = await world.now();
    const found = { uid, schema: VERIFIED_ACCOUNT, time, expirationTime: 0n, refUID: zeroHash, recipient, attester };
    expect(await attestation(uid)).toEqual({ ...found, revocationTime: 0n, revocable: true, data: YES });

    await expect(revoke(world.people[0]!, uid)).rejects.toThrow("AccessDenied");
    const revoked = await world.mined(revoke(world.attester, uid));
    expect(eventsOf(revoked, easAbi)).toEqual([["Revoked", { recipient, attester, uid, schemaUID: VERIFIED_ACCOUNT }]]);
    expect((await attestation(uid)).revocationTime).toBe(await world.now());
    expect(await indexed(recipient)).toBe(uid);
  });

  test("the last one counts, for each schema by itself", async () => {
    const recipient = world.devnet.accounts[1]!.address;
    await world.mined(attest(world.attester, recipient));
    const first = await indexed(recipient);
    await world.mined(attest(world.attester, recipient));
    const second = await indexed(recipient);
    expect(second).not.toBe(first);
    expect(await indexed(recipient, VERIFIED_COUNTRY)).toBe(zeroHash);
    const again = indexer.as(world.people[2]!).write.index([first]);
    await expect(again).rejects.toThrow("AttestationAlreadyIndexed");
    const unknown = indexer.as(world.people[2]!).write.index([VERIFIED_ACCOUNT]);
    await expect(unknown).rejects.toThrow("AttestationNotFound");
  });

  test("can come from its contract at the real address, directed by the same account", async () => {
    const contract = world.at("0x357458739F90461b99789350868CD7CF330Dd7EE", readBuild("ExchangeAttester").abi as Abi);
    expect(world.devnet.attesters).toEqual([contract.address, world.attester.account.address]);
    const recipient = world.devnet.accounts[2]!.address;
    const call = (wallet: ContractWorld["attester"]) => contract.as(wallet).write.attest!([request(recipient)]);
    await expect(call(world.people[0]!)).rejects.toThrow("NotController");
    await world.mined(call(world.attester));
    const uid = await indexed(recipient);
    expect(await attestation(uid)).toMatchObject({ attester: contract.address, recipient });
    const revoking = [{ schema: VERIFIED_ACCOUNT, data: { uid, value: 0n } }];
    await world.mined(contract.as(world.attester).write.revoke!(revoking));
    expect((await attestation(uid)).revocationTime).toBeGreaterThan(0n);
  });
});

test("nobody else can attest under the exchange's schemas", async () => {
  const recipient = world.devnet.accounts[3]!.address;
  await expect(attest(world.people[3]!, recipient)).rejects.toThrow("InvalidAttestation");
  expect(await indexed(recipient)).toBe(zeroHash);
});

test("anybody can attest under a schema of their own, which the indexer never hears of", async () => {
  const own = eventsOf(
    await world.mined(registry.as(world.people[4]!).write.register(["bool mine", zeroAddress, true])),
    schemaRegistryAbi,
  )[0]![1] as { uid: Hex };
  const recipient = world.devnet.accounts[4]!.address;
  await world.mined(attest(world.people[4]!, recipient, own.uid));
  expect(await indexed(recipient, own.uid)).toBe(zeroHash);
});
