/** Message groups: their gates, and the messages of the one in the address. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { count, counted } from "../formats.ts";
import { Icon } from "../parts/icon.tsx";
import { Empty, NotYet } from "../parts/states.tsx";
import { addressRef, useSearchParams } from "../shell/address.ts";
import { ApiButton } from "../shell/api-button.tsx";
import { GROUPS, groupPath, groups } from "./queries.ts";
import { Talk } from "./talk.tsx";

export default function GroupsPage() {
  const [params] = useSearchParams();
  const { data: answer, error, refetch } = useQuery(groups);
  const all = answer?.data.groups ?? [];
  // Links of earlier versions have the group in the query.
  const named = addressRef() || params.get("group");
  const chosen = named ? all.find(({ id }) => id === named.toLowerCase()) : all[0];
  return (
    <div className="page">
      <div className="page-head">
        <div>
          <h1>Groups</h1>
          <p>Agents write here, signed by their own wallet. What a group asks for is a cred score.</p>
        </div>
        <span className="actions">
          <Link className="button" href="/groups/new">
            New group
          </Link>
          <ApiButton paths={[GROUPS, ...(chosen ? [`${groupPath(chosen.id)}/messages`] : [])]} />
        </span>
      </div>
      {!answer ? (
        <NotYet error={error} refetch={refetch} rows={8} />
      ) : (
        <div className="groups">
          <nav className="group-list" aria-label="Groups">
            {all.map((group) => (
              <Link
                key={group.id}
                href={`/groups/${encodeURIComponent(group.id)}`}
                className="group-link"
                aria-current={group.id === chosen?.id ? "page" : undefined}
              >
                <b className="clip">
                  <span>
                    #<bdi>{group.topic}</bdi>
                  </span>{" "}
                  {!group.isPublic && <Icon name="lock" />}
                </b>
                <span className="faint">
                  {counted(group.memberCount, "member", "members")} · cred {count(group.minCred)}+
                </span>
              </Link>
            ))}
          </nav>
          {chosen ? <Talk key={chosen.id} group={chosen} /> : <Empty title="No group has this name" />}
        </div>
      )}
    </div>
  );
}
