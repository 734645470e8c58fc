/** Who is paid at endpoints: what is remembered, and what is told whatever a seller does. */
import { describe, expect, it } from "vitest";
import type { Version } from "../../core/offers/offer-change.ts";
import { type Payee, payeesTold, remembered } from "../../core/offers/payees.ts";

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 9, 1);
const iso = (day: number) => new Date(START + day * DAY_MS).toISOString();
const account = (n: number) => `0x${n.toString(16).padStart(40, "0")}`;
const WALLET = account(1);
const item = (payTo: string): Version["items"][number] => ({
  ...{
    kind: "resource",
    name: "quote",
    endpoint: "https://a.example/",
    method: null,
    usd: null,
    text: null,
    schema: null,
  },
  accepts: [{ scheme: "exact", network: "eip155:8453", asset: "usdc", amount: "1", payTo }],
});
const told = (known: readonly Payee[], day: number, from: string, to: string) =>
  payeesTold(
    { form: 1, owner: null, items: [item(to)] },
    {
      changed: [{ name: "quote", from: [from], to: [to] }],
      ...{ known, firstAt: new Date(START), now: new Date(START + day * DAY_MS) },
    },
  );
const unionAfter = (days: number[], payTo: (day: number) => string) =>
  days.reduce<Payee[]>((known, day) => told(known, day, account(0), payTo(day)).union ?? known, []);

describe("who is paid", () => {
  it("is told when a lasting account is paid no more, whatever habit or crowd came before", () => {
    const wallet = remembered([], [{ payTo: WALLET, endpoint: null }], iso(0));
    const habit = [20, 21, 22, 23, 24].reduce(
      (known, day) => told(known, day, account(day), account(day + 1)).union ?? known,
      wallet,
    );
    const crowd = remembered(
      wallet,
      Array.from({ length: 500 }, (_, i) => ({ payTo: account(i + 100), endpoint: null })),
      iso(1),
    );
    for (const known of [habit, crowd]) {
      expect(told(known, 25, WALLET, account(9_999)).payTo).toEqual([
        { name: "quote", from: [WALLET], to: [account(9_999)] },
      ]);
      // One that came lately goes again: that is the habit.
      expect(told(known, 25, account(9_998), account(9_999)).payTo).toEqual([]);
    }
  });

  it("is told for the last time when another account has come too often, and again when that is over", () => {
    const known = unionAfter([0, 20, 21, 22], (day) => account(day + 1));
    expect(told(known, 23, account(23), account(24))).toMatchObject({ isHabit: true, payTo: [{ to: [account(24)] }] });
    expect(told(known, 40, account(23), account(24))).toMatchObject({ isHabit: false, payTo: [{ to: [account(24)] }] });
  });

  it("is remembered of now first, and a crowd of now takes no room of earlier ones", () => {
    const wallet = [{ payTo: WALLET, endpoint: "https://a.example/" }];
    const crowd = (from: number) =>
      Array.from({ length: 300 }, (_, i) => ({ payTo: account(from + i), endpoint: "https://a.example/" }));
    const first = remembered(remembered([], wallet, iso(0)), wallet, iso(10));
    const later = remembered(remembered(first, crowd(1_000), iso(11)), crowd(2_000), iso(11.5));
    expect(later[0]).toMatchObject({ payTo: account(2_000), until: null });
    expect(later.find(({ payTo }) => payTo === WALLET)).toMatchObject({ since: iso(0), until: iso(11) });
    expect(later.length).toBe(256);
  });
});
