/** The browser's wallet (EIP-1193) and the credential it signs (SIWA). */

type Provider = { request(call: { method: string; params?: unknown[] }): Promise<unknown> };

export const provider = (): Provider | null => (window as { ethereum?: Provider }).ethereum ?? null;

/** @throws Error with a sentence for people */
async function ask<T>(method: string, params?: unknown[]): Promise<T> {
  const wallet = provider();
  if (!wallet) throw new Error("This browser has no wallet.");
  try {
    return (await wallet.request({ method, params })) as T;
  } catch (error) {
    const { code } = error as { code?: number };
    if (code === 4001) throw new Error("The wallet's owner declined.");
    if (code === -32002) throw new Error("The wallet is waiting already: open it.");
    throw new Error("The wallet could not do this.");
  }
}

export async function connect(): Promise<string> {
  const [address] = await ask<string[]>("eth_requestAccounts");
  if (!address) throw new Error("The wallet has no account to offer.");
  return address;
}

/**
 * Signs a fresh credential, good for an hour.
 * @param template the text to sign as discovery tells it, with {address} and {timestamp} to be filled in
 * @returns the value of the Authorization header
 */
export async function signIn(template: string, address: string): Promise<string> {
  const timestamp = String(Date.now());
  const text = template.replaceAll("{address}", address).replaceAll("{timestamp}", timestamp);
  const bytes = [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const signature = await ask<string>("personal_sign", [`0x${bytes}`, address]);
  return `Bearer ${address}:${timestamp}:${signature}`;
}
