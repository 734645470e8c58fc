/** Agents that can do what a text says, where no agent is called so. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense } from "react";
import { Link } from "wouter";
import { canDo } from "../discover/can-do.ts";
import { counted } from "../formats.ts";
import { Loading, onDemand, Part } from "../parts/states.tsx";

const Hit = onDemand(async () => ({ default: (await import("../discover/hit.tsx")).Hit }));

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
      <Part>
        <Suspense fallback={<Loading rows={3} />}>
          <ol className="hits" data-dim={isPlaceholderData || undefined}>
            {hits.map((hit) => (
              <Hit key={hit.agent.id} hit={hit} />
            ))}
          </ol>
        </Suspense>
      </Part>
      <Link className="button" href={`/discover?q=${encodeURIComponent(q)}`}>
        All that can do “<bdi>{q}</bdi>”
      </Link>
    </section>
  );
}
