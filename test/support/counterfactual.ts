/** A contract wallet that is not deployed: its address follows from what would deploy it (ERC-6492). */
import {
  type Abi,
  concat,
  encodeDeployData,
  getContractAddress,
  type Hex,
  padHex,
  serializeErc6492Signature,
} from "viem";
import { readBuild } from "../../contracts/builds.ts";

/** The CREATE2 deployer that every development chain and Base have. */
export const FACTORY = "0x4e59b44847b379578588920cA78FbF26c0B4956C";

/** @property data deploys the wallet when it is sent to `FACTORY` @property wrap a signature together with it */
export function counterfactual(owner: Hex) {
  const { abi, bytecode } = readBuild("ContractWallet");
  const salt = padHex("0x1", { size: 32 });
  const initcode = encodeDeployData({ abi: abi as Abi, bytecode, args: [owner] });
  const address = getContractAddress({ opcode: "CREATE2", from: FACTORY, salt, bytecode: initcode });
  const data = concat([salt, initcode]);
  const wrap = (signature: Hex) => serializeErc6492Signature({ address: FACTORY, data, signature });
  return { address, data, wrap };
}
