/** What Multicall3 answers, for chains that are only a port. */
import { encodeAbiParameters, numberToHex } from "viem";

/** The answer of `aggregate3` whose calls each answered a number. */
export const encodeAggregate = (numbers: bigint[]) =>
  encodeAbiParameters(
    [
      {
        type: "tuple[]",
        components: [
          { name: "success", type: "bool" },
          { name: "returnData", type: "bytes" },
        ],
      },
    ],
    [numbers.map((n) => ({ success: true, returnData: numberToHex(n, { size: 32 }) }))],
  );
