/** ABI of the contract wallet of the tests. Written by `npm run generate -- contracts`: change the contract, not this file. */

// biome-ignore format: an entry a line
export const contractWalletAbi = [
  { inputs: [{ name: "key_", type: "address" }], stateMutability: "payable", type: "constructor" },
  { inputs: [], name: "NotKey", type: "error" },
  { inputs: [{ name: "to", type: "address" }, { name: "value", type: "uint256" }, { name: "data", type: "bytes" }], name: "execute", outputs: [{ name: "", type: "bytes" }], stateMutability: "nonpayable", type: "function" },
  { inputs: [{ name: "hash", type: "bytes32" }, { name: "signature", type: "bytes" }], name: "isValidSignature", outputs: [{ name: "", type: "bytes4" }], stateMutability: "view", type: "function" },
  { inputs: [], name: "key", outputs: [{ name: "", type: "address" }], stateMutability: "view", type: "function" },
  { inputs: [{ name: "", type: "address" }, { name: "", type: "address" }, { name: "", type: "uint256" }, { name: "", type: "bytes" }], name: "onERC721Received", outputs: [{ name: "", type: "bytes4" }], stateMutability: "nonpayable", type: "function" },
  { stateMutability: "payable", type: "receive" },
] as const;
