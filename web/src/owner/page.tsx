/** The agents of one wallet: of the own registry and of others, in the table of the directory. */
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Link } from "wouter";
import { Pager, Rows, useBadged } from "../directory/rows.tsx";
import { directory, directoryPath, totalOf } from "../directory/source.ts";
import { PAGE_SIZE, readView, type View, writeView } from "../directory/view.ts";
import { count, short } from "../formats.ts";
import { NotFound } from "../pages/not-found.tsx";
import { Address } from "../parts/address.tsx";
import { Empty, Loading, ProblemNote } from "../parts/states.tsx";
import { say } from "../say.tsx";
import { addressRef, useSearchParams } from "../shell/address.ts";
import { ApiButton } from "../shell/api-button.tsx";

export default function OwnerPage() {
  const owner = addressRef();
  return /^0x[0-9a-f]{40}$/i.test(owner) ? <Owned owner={owner.toLowerCase()} /> : <NotFound />;
}

function Owned({ owner }: { owner: string }) {
  const [params, setParams] = useSearchParams();
  const asked = readView(params);
  const view: View = { ...asked, facets: { ...asked.facets, owner } };
  // The owner is in the path already.
  const change = (next: View) => setParams(writeView({ ...next, facets: { ...next.facets, owner: undefined } }));
  const { data: answer, error, isPlaceholderData, refetch } = useQuery(directory(view));
  const own = useQuery(totalOf({ ...view, facets: { ...view.facets, platform: ["helixa"] } })).data;
  const data = answer?.data;
  const rows = useBadged(
    (data?.agents ?? []).map((row, i) => ({ ...row, place: (view.page - 1) * PAGE_SIZE + i + 1 })),
  );
  useEffect(() => {
    document.title = say("owner.title", { wallet: short(owner) });
  }, [owner]);
  return (
    <div className="directory">
      <header className="owner-head">
        <div>
          <h1>{say("owner.of")}</h1>
          <p className="muted">{say("owner.lead")}</p>
          <Address address={owner} />
        </div>
        <dl className="totals">
          <div>
            <dt>{say("owner.own")}</dt>
            <dd>{own === undefined ? "—" : count(own)}</dd>
          </div>
          <div>
            <dt>{say("owner.foreign")}</dt>
            <dd>{own === undefined || !data ? "—" : count(data.total - own)}</dd>
          </div>
        </dl>
        <ApiButton paths={[directoryPath(view)]} />
      </header>
      {error && !data ? (
        <ProblemNote error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading rows={8} />
      ) : rows.length === 0 ? (
        <Empty title={say("owner.none")}>
          <p className="muted">{say("owner.noneLead")}</p>
          <Link className="button" href={`/?q=${owner}`}>
            {say("owner.search")}
          </Link>
        </Empty>
      ) : (
        <Rows rows={rows} view={view} change={change} total={data.total} active={-1} dim={isPlaceholderData} />
      )}
      {data && data.total > PAGE_SIZE && <Pager view={view} total={data.total} change={change} />}
    </div>
  );
}
