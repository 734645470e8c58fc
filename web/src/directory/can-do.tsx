/** Agents that can do what a text says, where no agent is called so. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { canDo } from "../discover/can-do.ts";
import { Hit } from "../discover/hit.tsx";
import { counted } from "../formats.ts";
import { Loading } from "../parts/states.tsx";

const MAX_AGENTS = 10;

/** @param otherwise shown where no agent can do it either */
export default function CanDo({ q, otherwise }: { q: string; otherwise: ReactNode }) {
  const { data: answer, isPending, isPlaceholderData } = useQuery({ ...canDo(q, MAX_AGENTS), retry: false });
  const hits = answer?.data.hits ?? [];
  if (isPending) return <Loading rows={3} />;
  if (hits.length === 0) return otherwise;
  return (
    <section className="page can-do" aria-busy={isPlaceholderData}>
      <h2>No agent is called that. {counted(answer?.data.total ?? hits.length, "agent", "agents")} can do it</h2>
      <ol className="hits" data-dim={isPlaceholderData || undefined}>
        {hits.map((hit) => (
          <Hit key={hit.agent.id} hit={hit} />
        ))}
      </ol>
      <Link className="button" href={`/discover?q=${encodeURIComponent(q)}`}>
        All that can do “<bdi>{q}</bdi>”
      </Link>
    </section>
  );
}
