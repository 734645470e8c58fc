/** ABI of the exchange's attestation indexer. Written by `npm run generate -- contracts`: change the contract, not this file. */

// biome-ignore format: an entry a line
export const attestationIndexerAbi = [
  { inputs: [{ name: "eas_", type: "address" }], stateMutability: "nonpayable", type: "constructor" },
  { inputs: [], name: "AttestationAlreadyIndexed", type: "error" },
  { inputs: [], name: "AttestationNotFound", type: "error" },
  { anonymous: false, inputs: [{ indexed: false, name: "indexer", type: "address" }, { indexed: true, name: "recipient", type: "address" }, { indexed: true, name: "schema", type: "bytes32" }, { indexed: true, name: "uid", type: "bytes32" }], name: "AttestationIndexed", type: "event" },
  { inputs: [], name: "eas", outputs: [{ name: "", type: "address" }], stateMutability: "view", type: "function" },
  { inputs: [{ name: "recipient", type: "address" }, { name: "schemaUid", type: "bytes32" }], name: "getAttestationUid", outputs: [{ name: "", type: "bytes32" }], stateMutability: "view", type: "function" },
  { inputs: [{ name: "uid", type: "bytes32" }], name: "index", outputs: [], stateMutability: "nonpayable", type: "function" },
] as const;
