/** The first line of an agent's page: what is known of it as figures, each a link to the part that has the evidence. */
import { useQuery } from "@tanstack/react-query";
import { offering as offeringQuery } from "../directory/source.ts";
import { NoData } from "../parts/cred.tsx";
import { endpointsInShort, reviewsInShort, type Short } from "../parts/evidence.ts";
import { jobsInShort, paymentsInShort } from "./work-in-short.ts";

type Props = {
  of: { agentRef: string; platform: string };
  /** Its proofs in short; undefined while they are loaded. */
  proofs: Short | undefined;
  /** Parts that the page has: a fact whose part is missing is not shown. */
  parts: readonly string[];
};

export function FactsInShort({ of, proofs, parts }: Props) {
  const { data } = useQuery(offeringQuery(of.agentRef, of.platform));
  const found = data?.data;
  const facts: [id: string, label: string, fact: Short | undefined][] = [
    ["payments", "Paid", found && paymentsInShort(found.payments)],
    ["reviews", "Reviews", found && reviewsInShort(found.reviews)],
    ["offers", "Endpoints", found && endpointsInShort(found.liveness)],
    [parts.includes("proofs") ? "proofs" : "trust", "Proofs", proofs],
    ["jobs", "Hired", found?.jobs ? jobsInShort(found.jobs) : undefined],
  ];
  const shown = facts.filter(([id]) => parts.includes(id) && !(id === "jobs" && found && !found.jobs));
  return (
    <ul className="facts-in-short" aria-label="What is known in short">
      {shown.map(([id, label, fact]) => (
        <li key={id}>
          <a href={`#${id}`}>
            <span className="in-short-label">{label}</span>
            <b>{fact ? (fact.figure ?? <NoData reason="nothing is known" />) : "\u00a0"}</b>
            <span className="in-short-words">{fact?.words ?? "\u00a0"}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

/** A fact in one line: the figure, then its words. */
export const InShort = ({ of: { figure, words } }: { of: Short }) => (
  <>
    {figure !== null && <b>{figure} </b>}
    {words}
  </>
);
