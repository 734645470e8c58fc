/** Who counts as one: two evidences of different kinds, and likeness alone never of those with proof. */
import { describe, expect, it } from "vitest";
import { clustersOf } from "../../../core/reviews/clusters.ts";
import type { ReviewEntry, ReviewerFacts } from "../../../core/reviews/facts.ts";
import { address, DAY, entry, HOUR, NOW, stranger } from "./facts.ts";

const numbers = (length: number) => Array.from({ length }, (_, i) => i + 1);
/** The clusters of reviewers 1 to `length`, as their numbers and what connects them. */
const clusters = (
  length: number,
  known: (n: number) => Partial<ReviewerFacts>,
  said: (n: number) => Partial<ReviewEntry> = () => ({}),
) =>
  clustersOf({
    side: [],
    reviewers: numbers(length).map((n) => stranger(n, known(n))),
    reviews: numbers(length).map((n) => entry(n, 50, said(n))),
  }).map(({ reviewers, shares }) => ({ size: reviewers.length, shares }));

const FUNDER = { address: address(900), sent: 10 };
const EXCHANGE = { address: address(901), sent: 30_000_000 };
const MINUTE = 60;

describe("a cluster", () => {
  it("needs two evidences", () => {
    expect(clusters(9, () => ({ funder: FUNDER }))).toEqual([]);
    expect(clusters(9, () => ({ firstAt: NOW - DAY }))).toEqual([]);
    expect(clusters(2, () => ({ funder: FUNDER, firstAt: NOW }))).toEqual([{ size: 2, shares: ["funder", "born"] }]);
  });

  it("takes nothing from a funder that serves the public", () => {
    expect(clusters(3, (n) => ({ funder: EXCHANGE, firstAt: NOW + n }))).toEqual([]);
  });

  it("takes nothing from what is not known", () => {
    expect(clusters(50, () => ({}))).toEqual([]);
  });

  it("needs four reviewers where others could have brought the evidence about", () => {
    const like = (length: number) => clusters(length, (n) => ({ firstAt: NOW + n, sent: 1 }));
    expect(like(3)).toEqual([]);
    expect(like(4)).toEqual([{ size: 4, shares: ["born", "one_purpose"] }]);
  });

  it("leaves out those with proof where others could have brought the evidence about, and those that paid", () => {
    const among = (known: Partial<ReviewerFacts>) =>
      clusters(6, (n) => ({ firstAt: NOW + n, sent: 1, ...(n === 6 ? known : {}) }));
    expect(among({ human: true })).toEqual([{ size: 5, shares: ["born", "one_purpose"] }]);
    expect(among({ paid: 10_000 })).toEqual([{ size: 5, shares: ["born", "one_purpose"] }]);
  });

  it("follows a chain of accounts that funded each other", () => {
    const chain = clusters(5, (n) => ({ funder: { address: address(n - 1), sent: 2 }, sent: 2 }));
    expect(chain).toEqual([{ size: 5, shares: ["funder", "one_purpose"] }]);
  });

  it("follows money through one account between, and no further than to what serves the public", () => {
    const through = (origin: typeof FUNDER) =>
      clusters(3, (n) => ({ funder: { address: address(910 + n), sent: 3 }, origin, sent: 1 }));
    expect(through(FUNDER)).toEqual([{ size: 3, shares: ["funder", "one_purpose"] }]);
    expect(through(EXCHANGE)).toEqual([]);
  });

  it("sees accounts made for their review where most of an agent's reviewers were", () => {
    const young = (of: number, among: number) =>
      clusters(among, (n) =>
        n > of
          ? { firstAt: NOW - 900 * DAY - n * DAY }
          : { firstAt: NOW + n * DAY - HOUR, beganAt: NOW + n * DAY, sent: 1, funder: EXCHANGE },
      );
    expect(young(12, 16)).toEqual([{ size: 12, shares: ["one_purpose", "made_for"] }]);
    expect(young(11, 16)).toEqual([]);
    expect(young(7, 7)).toEqual([]);
  });

  it("sees reviewers of each other's agents", () => {
    const ring = clusters(5, () => ({ returned: true, rated: [{ agent: "theirs", reviewers: 6 }] }));
    expect(ring).toEqual([{ size: 5, shares: ["same_agents", "returned"] }]);
    expect(clusters(5, () => ({ returned: true, rated: [{ agent: "everybody's", reviewers: 600 }] }))).toEqual([]);
  });

  it("sees accounts that woke together, in a burst beside the usual reviews", () => {
    const usual = (n: number) => (n > 6 ? { at: NOW + n * DAY } : { at: NOW + n * MINUTE });
    const woken = clusters(30, (n) => (n > 6 ? {} : { previousAt: NOW - 500 * DAY }), usual);
    expect(woken).toEqual([{ size: 6, shares: ["burst", "woke"] }]);
  });

  it("takes many reviews an hour for no burst where that is usual", () => {
    const busy = clusters(
      400,
      () => ({ sent: 0 }),
      (n) => ({ at: NOW + (n * HOUR) / 8 }),
    );
    expect(busy).toEqual([]);
  });

  it("has each reviewer in one cluster", () => {
    const both = clusters(8, (n) => ({
      funder: { address: address(n < 5 ? 900 : 902), sent: 3 },
      firstAt: NOW + (n < 5 ? 0 : 100 * DAY),
    }));
    expect(both.map(({ size }) => size)).toEqual([4, 4]);
  });
});
