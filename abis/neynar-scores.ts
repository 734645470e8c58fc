/** ABI of Neynar's scores. Written by `npm run generate -- contracts`: change the contract, not this file. */

// biome-ignore format: an entry a line
export const neynarScoresAbi = [
  { inputs: [{ name: "operator_", type: "address" }], stateMutability: "nonpayable", type: "constructor" },
  { inputs: [], name: "NotOperator", type: "error" },
  { inputs: [{ name: "wallet", type: "address" }], name: "getScore", outputs: [{ name: "score", type: "uint24" }], stateMutability: "view", type: "function" },
  { inputs: [], name: "operator", outputs: [{ name: "", type: "address" }], stateMutability: "view", type: "function" },
  { inputs: [{ name: "wallet", type: "address" }, { name: "score", type: "uint24" }], name: "setScore", outputs: [], stateMutability: "nonpayable", type: "function" },
] as const;
