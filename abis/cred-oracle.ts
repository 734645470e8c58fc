/** ABI of the per-token oracle of scores. Written by `npm run generate -- contracts`: change the contract, not this file. */

// biome-ignore format: an entry a line
export const credOracleAbi = [
  { inputs: [{ name: "owner_", type: "address" }], stateMutability: "nonpayable", type: "constructor" },
  { inputs: [], name: "LengthMismatch", type: "error" },
  { inputs: [], name: "NotOwner", type: "error" },
  { inputs: [{ name: "score", type: "uint8" }], name: "ScoreTooHigh", type: "error" },
  { anonymous: false, inputs: [{ indexed: true, name: "tokenId", type: "uint256" }, { indexed: false, name: "score", type: "uint8" }, { indexed: false, name: "updatedAt", type: "uint40" }], name: "CredUpdated", type: "event" },
  { anonymous: false, inputs: [{ indexed: true, name: "prev", type: "address" }, { indexed: true, name: "next", type: "address" }], name: "OwnerTransferred", type: "event" },
  { inputs: [{ name: "tokenIds", type: "uint256[]" }, { name: "scores", type: "uint8[]" }], name: "batchUpdate", outputs: [], stateMutability: "nonpayable", type: "function" },
  { inputs: [{ name: "tokenId", type: "uint256" }], name: "getCredData", outputs: [{ name: "score", type: "uint8" }, { name: "updatedAt", type: "uint40" }], stateMutability: "view", type: "function" },
  { inputs: [{ name: "tokenId", type: "uint256" }], name: "getCredScore", outputs: [{ name: "", type: "uint8" }], stateMutability: "view", type: "function" },
  { inputs: [{ name: "next", type: "address" }], name: "transferOwnership", outputs: [], stateMutability: "nonpayable", type: "function" },
  { inputs: [{ name: "tokenId", type: "uint256" }, { name: "score", type: "uint8" }], name: "update", outputs: [], stateMutability: "nonpayable", type: "function" },
] as const;
