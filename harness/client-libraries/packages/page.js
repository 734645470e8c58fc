/** The page of the clients that are installed here. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as x402Axios from "@x402/axios";
import * as scheme from "@x402/evm/exact/client";
import * as x402Fetch from "@x402/fetch";
import axios from "axios";
import { createStore } from "mipd";
import { Mppx, tempo } from "mppx/client";
import { createClient, createWalletClient, custom, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { tempo as tempoChain } from "viem/tempo/chains";
import * as oldAxios from "x402-axios";
import * as x402Axios22 from "x402-axios-2.2";
import * as scheme28 from "x402-evm-2.8/exact/client";
import * as oldFetch from "x402-fetch";
import * as x402Fetch28 from "x402-fetch-2.8";
import { offer } from "../page/window.ts";
import * as pay from "../pay.ts";

offer({
  clients: {
    "@x402/fetch": (account) => pay.x402Fetch(x402Fetch, scheme, account),
    "x402-fetch-2.8": (account) => pay.x402Fetch(x402Fetch28, scheme28, account),
    "@x402/axios": (account) => pay.x402Axios(x402Axios, scheme, axios, account),
    "x402-axios-2.2": (account) => pay.x402Axios(x402Axios22, scheme28, axios, account),
    "x402-fetch": (account) => pay.oldFetch(oldFetch, account),
    "x402-axios": (account) => pay.oldAxios(oldAxios, axios, account),
    mppx: (account, rpcUrl) =>
      pay.mppx({ Mppx, tempo }, { createClient, http }, tempoChain, account, { rpcUrl, mode: "pull" }),
  },
  privateKeyToAccount,
  mcp: { Client, StreamableHTTPClientTransport },
  async findWallet() {
    const [{ info, provider }] = createStore().getProviders();
    const [address] = await provider.request({ method: "eth_requestAccounts" });
    const wallet = createWalletClient({ account: address, chain: base, transport: custom(provider) });
    await wallet.switchChain({ id: base.id });
    const account = {
      address: wallet.account.address,
      signMessage: (message) => wallet.signMessage(message),
      signTypedData: (data) => wallet.signTypedData(data),
    };
    return { name: info.name, account, paying: () => pay.x402Fetch(x402Fetch, scheme, account) };
  },
});
