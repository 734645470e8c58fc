/** The breakdown of a human's cred: eight signals, each with what it was read from. */
import type { HumanCred } from "../api/types.ts";
import { age, date, decimals } from "../formats.ts";
import { NoData } from "../parts/cred.tsx";
import { type MessageKey, say } from "../say.tsx";

type Signal = keyof HumanCred["breakdown"];

/** What each signal was read from, in a sentence. */
const FROM: Record<Signal, (sources: HumanCred["sources"]) => string> = {
  verifiedIdentity: ({ exchangeAttestation, provenAccounts }) =>
    `${say(exchangeAttestation?.attested ? "people.from.attested" : "people.from.notAttested")} ${say("people.from.accounts", { n: provenAccounts.length })}`,
  linkedAgents: ({ linkedAgents }) =>
    linkedAgents.length === 0
      ? say("people.from.noAgent")
      : say("people.from.best", { score: Math.max(...linkedAgents.map(({ credScore }) => credScore)) }),
  socialReputation: ({ ethos: { score, fetchedAt } }) =>
    score === null || fetchedAt === null
      ? say("people.from.noEthos")
      : say("people.from.ethos", { score, age: age(fetchedAt) }),
  onchainHistory: ({ transactions: { count, fetchedAt } }) =>
    count === null || fetchedAt === null
      ? say("people.from.noTransactions")
      : say("people.from.transactions", { n: count, age: age(fetchedAt) }),
  workHistory: ({ sessions }) => say("people.from.sessions", { n: sessions.success }),
  networkEndorsements: ({ referrals }) => say("people.from.referrals", { n: referrals.total }),
  profileCompleteness: ({ profile: { missing } }) =>
    missing.length === 0 ? say("people.from.complete") : say("people.from.missing", { parts: missing.join(", ") }),
  longevity: ({ registeredAt }) => say("people.from.registered", { date: date(registeredAt) }),
};

export function CredOf({ cred }: { cred: HumanCred }) {
  const heads: [MessageKey, boolean][] = [
    ["people.signal", false],
    ["people.raw", true],
    ["people.weight", true],
    ["people.adds", true],
  ];
  return (
    <table className="plain-table">
      <caption className="unseen">{say("people.signals")}</caption>
      <thead>
        <tr>
          {heads.map(([key, isNumber]) => (
            <th key={key} scope="col" className={isNumber ? "number" : undefined}>
              {say(key as "people.raw")}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {(Object.keys(FROM) as Signal[]).map((key) => {
          const { weight, raw, contribution, known } = cred.breakdown[key];
          return (
            <tr key={key}>
              <th scope="row">
                {say(`people.signal.${key}`)}
                <span className="faint hint">{FROM[key](cred.sources)}</span>
              </th>
              <td className="number">{known ? raw : <NoData reason={say("people.notKnown")} />}</td>
              <td className="number faint">{say("people.weightOf", { weight })}</td>
              <td className="number">
                <b>{decimals(contribution, 2)}</b>
              </td>
            </tr>
          );
        })}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{say("people.total")}</th>
          <td />
          <td />
          <td className="number">
            <b>{cred.score}</b>
          </td>
        </tr>
      </tfoot>
    </table>
  );
}
