/** ABI of the handshake registry. Written by `npm run generate -- contracts`: change the contract, not this file. */

// biome-ignore format: an entry a line
export const handshakesAbi = [
  { inputs: [{ name: "identity_", type: "address" }], stateMutability: "nonpayable", type: "constructor" },
  { inputs: [{ name: "owner", type: "address" }], name: "OwnableInvalidOwner", type: "error" },
  { inputs: [{ name: "account", type: "address" }], name: "OwnableUnauthorizedAccount", type: "error" },
  { anonymous: false, inputs: [{ indexed: true, name: "fromTokenId", type: "uint256" }, { indexed: true, name: "toTokenId", type: "uint256" }, { indexed: false, name: "timestamp", type: "uint256" }], name: "HandshakeCompleted", type: "event" },
  { anonymous: false, inputs: [{ indexed: true, name: "previousOwner", type: "address" }, { indexed: true, name: "newOwner", type: "address" }], name: "OwnershipTransferred", type: "event" },
  { inputs: [{ name: "pair", type: "bytes32" }], name: "connected", outputs: [{ name: "", type: "bool" }], stateMutability: "view", type: "function" },
  { inputs: [{ name: "tokenId", type: "uint256" }], name: "handshakeCount", outputs: [{ name: "", type: "uint256" }], stateMutability: "view", type: "function" },
  { inputs: [], name: "identity", outputs: [{ name: "", type: "address" }], stateMutability: "view", type: "function" },
  { inputs: [{ name: "a", type: "uint256" }, { name: "b", type: "uint256" }], name: "isConnected", outputs: [{ name: "", type: "bool" }], stateMutability: "view", type: "function" },
  { inputs: [], name: "owner", outputs: [{ name: "", type: "address" }], stateMutability: "view", type: "function" },
  { inputs: [{ name: "fromTokenId", type: "uint256" }, { name: "toTokenId", type: "uint256" }], name: "recordHandshake", outputs: [], stateMutability: "nonpayable", type: "function" },
  { inputs: [], name: "renounceOwnership", outputs: [], stateMutability: "nonpayable", type: "function" },
  { inputs: [], name: "totalHandshakes", outputs: [{ name: "", type: "uint256" }], stateMutability: "view", type: "function" },
  { inputs: [{ name: "newOwner", type: "address" }], name: "transferOwnership", outputs: [], stateMutability: "nonpayable", type: "function" },
] as const;
