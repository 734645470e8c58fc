/** The agents of one wallet: of the own registry and of others, in the table of the directory. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { discovery } from "../api/queries.ts";
import { Pager, Rows, useBadged } from "../directory/rows.tsx";
import { directory, directoryPath, totalOf } from "../directory/source.ts";
import { PAGE_SIZE, readView, type View, writeView } from "../directory/view.ts";
import { count, short } from "../formats.ts";
import NotFound from "../pages/not-found.tsx";
import { Fact, useTitle } from "../parts/panel.tsx";
import { Party } from "../parts/party.tsx";
import { Empty, NotYet } from "../parts/states.tsx";
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
  const explorer = useQuery(discovery).data?.data.explorer;
  const data = answer?.data;
  const rows = useBadged(
    (data?.agents ?? []).map((row, i) => ({ ...row, place: (view.page - 1) * PAGE_SIZE + i + 1 })),
  );
  useTitle(`Agents of ${short(owner)}`);
  return (
    <div className="directory">
      <header className="owner-head">
        <div>
          <h1>Agents of a wallet</h1>
          <p className="muted">All agents, of this registry and of others, that name this wallet as their owner.</p>
          <Party address={owner} explorer={explorer} />
        </div>
        <dl className="totals">
          <Fact label="In this registry">{own === undefined ? "—" : count(own)}</Fact>
          <Fact label="In other registries">{own === undefined || !data ? "—" : count(data.total - own)}</Fact>
        </dl>
        <ApiButton paths={[directoryPath(view)]} />
      </header>
      {!data ? (
        <NotYet error={error} refetch={refetch} rows={8} />
      ) : rows.length === 0 ? (
        <Empty title="This wallet owns no agent that is known here">
          <p className="muted">It may be the wallet of an agent that another account owns: search for the address.</p>
          <Link className="button" href={`/?q=${owner}`}>
            Search for this address
          </Link>
        </Empty>
      ) : (
        <Rows rows={rows} view={view} change={change} total={data.total} active={-1} dim={isPlaceholderData} />
      )}
      {data && data.total > PAGE_SIZE && <Pager view={view} total={data.total} change={change} />}
    </div>
  );
}
