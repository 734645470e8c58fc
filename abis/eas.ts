/** ABI of the Ethereum Attestation Service and its schema registry. Written by `npm run generate -- contracts`: change the contract, not this file. */

// biome-ignore format: an entry a line
export const easAbi = [
  { inputs: [], name: "AccessDenied", type: "error" },
  { inputs: [], name: "AlreadyRevoked", type: "error" },
  { inputs: [], name: "InvalidAttestation", type: "error" },
  { inputs: [], name: "InvalidExpirationTime", type: "error" },
  { inputs: [], name: "InvalidRevocation", type: "error" },
  { inputs: [], name: "InvalidSchema", type: "error" },
  { inputs: [], name: "Irrevocable", type: "error" },
  { inputs: [], name: "NotFound", type: "error" },
  { inputs: [], name: "NotPayable", type: "error" },
  { inputs: [], name: "WrongSchema", type: "error" },
  { anonymous: false, inputs: [{ indexed: true, name: "recipient", type: "address" }, { indexed: true, name: "attester", type: "address" }, { indexed: false, name: "uid", type: "bytes32" }, { indexed: true, name: "schemaUID", type: "bytes32" }], name: "Attested", type: "event" },
  { anonymous: false, inputs: [{ indexed: true, name: "recipient", type: "address" }, { indexed: true, name: "attester", type: "address" }, { indexed: false, name: "uid", type: "bytes32" }, { indexed: true, name: "schemaUID", type: "bytes32" }], name: "Revoked", type: "event" },
  { inputs: [{ components: [{ name: "schema", type: "bytes32" }, { components: [{ name: "recipient", type: "address" }, { name: "expirationTime", type: "uint64" }, { name: "revocable", type: "bool" }, { name: "refUID", type: "bytes32" }, { name: "data", type: "bytes" }, { name: "value", type: "uint256" }], name: "data", type: "tuple" }], name: "request", type: "tuple" }], name: "attest", outputs: [{ name: "", type: "bytes32" }], stateMutability: "payable", type: "function" },
  { inputs: [{ name: "uid", type: "bytes32" }], name: "getAttestation", outputs: [{ components: [{ name: "uid", type: "bytes32" }, { name: "schema", type: "bytes32" }, { name: "time", type: "uint64" }, { name: "expirationTime", type: "uint64" }, { name: "revocationTime", type: "uint64" }, { name: "refUID", type: "bytes32" }, { name: "recipient", type: "address" }, { name: "attester", type: "address" }, { name: "revocable", type: "bool" }, { name: "data", type: "bytes" }], name: "", type: "tuple" }], stateMutability: "view", type: "function" },
  { inputs: [], name: "getSchemaRegistry", outputs: [{ name: "", type: "address" }], stateMutability: "view", type: "function" },
  { inputs: [{ name: "uid", type: "bytes32" }], name: "isAttestationValid", outputs: [{ name: "", type: "bool" }], stateMutability: "view", type: "function" },
  { inputs: [{ components: [{ name: "schema", type: "bytes32" }, { components: [{ name: "recipient", type: "address" }, { name: "expirationTime", type: "uint64" }, { name: "revocable", type: "bool" }, { name: "refUID", type: "bytes32" }, { name: "data", type: "bytes" }, { name: "value", type: "uint256" }], name: "data", type: "tuple[]" }], name: "multiRequests", type: "tuple[]" }], name: "multiAttest", outputs: [{ name: "", type: "bytes32[]" }], stateMutability: "payable", type: "function" },
  { inputs: [{ components: [{ name: "schema", type: "bytes32" }, { components: [{ name: "uid", type: "bytes32" }, { name: "value", type: "uint256" }], name: "data", type: "tuple" }], name: "request", type: "tuple" }], name: "revoke", outputs: [], stateMutability: "payable", type: "function" },
  { inputs: [], name: "version", outputs: [{ name: "", type: "string" }], stateMutability: "view", type: "function" },
] as const;

// biome-ignore format: an entry a line
export const schemaRegistryAbi = [
  { inputs: [], name: "AlreadyExists", type: "error" },
  { anonymous: false, inputs: [{ indexed: true, name: "uid", type: "bytes32" }, { indexed: true, name: "registerer", type: "address" }, { components: [{ name: "uid", type: "bytes32" }, { name: "resolver", type: "address" }, { name: "revocable", type: "bool" }, { name: "schema", type: "string" }], indexed: false, name: "schema", type: "tuple" }], name: "Registered", type: "event" },
  { inputs: [{ name: "uid", type: "bytes32" }], name: "getSchema", outputs: [{ components: [{ name: "uid", type: "bytes32" }, { name: "resolver", type: "address" }, { name: "revocable", type: "bool" }, { name: "schema", type: "string" }], name: "", type: "tuple" }], stateMutability: "view", type: "function" },
  { inputs: [{ name: "schema", type: "string" }, { name: "resolver", type: "address" }, { name: "revocable", type: "bool" }], name: "register", outputs: [{ name: "", type: "bytes32" }], stateMutability: "nonpayable", type: "function" },
  { inputs: [], name: "version", outputs: [{ name: "", type: "string" }], stateMutability: "view", type: "function" },
] as const;
