/** The page of the clients that are dependencies of this project. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import * as x402 from "@x402/fetch";
import { Mppx, tempo } from "mppx/client";
import { createClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { tempo as tempoChain } from "viem/tempo/chains";
import { mppx, x402Fetch } from "../pay.ts";
import { offer } from "./window.ts";

offer({
  clients: {
    "@x402/fetch": (account) => x402Fetch(x402, { ExactEvmScheme }, account),
    mppx: (account, rpcUrl) =>
      mppx({ Mppx, tempo }, { createClient, http }, tempoChain, account, { rpcUrl, mode: "pull" }),
  },
  privateKeyToAccount,
  mcp: { Client, StreamableHTTPClientTransport },
});
