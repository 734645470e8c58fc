/** The fields of a request, filled in so that it works here, and the sending of one that a wallet signs in for or pays. */
import { queryOptions } from "@tanstack/react-query";
import type { Operation, Parameter } from "../../../core/described-operations.ts";
import { OWN_PLATFORM, rowRef } from "../../../core/directory/platforms.ts";
import { type SampleRequest, targetOf } from "../../../core/request-samples.ts";
import { call, Problem } from "../api/answer.ts";
import { type FieldEntry, Fields } from "../parts/form.tsx";
import { RequestId } from "../parts/states.tsx";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { Note, OperationButton, useOperation } from "../wallet/operation.tsx";
import type { Request } from "../wallet/operation-store.ts";
import type { CallerRule } from "../wallet/sign-ins.ts";
import { Prose } from "./shown.tsx";

export type Values = Readonly<Record<string, string>>;

/** A field's name in the form: parameters of the path and the query may have the same name. */
export const fieldOf = ({ name, in: where }: Parameter): string => `${where}.${name}`;
export const BODY = "body";

type Props = {
  operation: Operation;
  values: Values;
  change: (field: string, value: string) => void;
  /** Why the body cannot be sent. */
  fault: string | null;
};

export const RequestForm = ({ operation, values, change, fault }: Props) => (
  <Fields
    of={[
      ...operation.parameters.map(fieldFor),
      operation.body && {
        ...{ name: BODY, label: "Body", hint: "(JSON)" },
        rows: Math.min(16, (values[BODY] ?? "").split("\n").length + 1),
      },
    ]}
    faults={new Map(fault === null ? [] : [[BODY, fault]])}
    values={values}
    change={change}
  />
);

function fieldFor(parameter: Parameter): FieldEntry {
  const { name, schema, required = false, description, example } = parameter;
  const choices = schema.enum?.map(String) ?? (schema.type === "boolean" ? ["true", "false"] : null);
  const shown = example ?? schema.example ?? schema.default;
  return {
    name: fieldOf(parameter),
    label: <code>{name}</code>,
    optional: !required,
    ...(description !== undefined && { remark: <Prose text={description} /> }),
    ...(choices
      ? { choices: [...(required ? [] : [["", "—"] as const]), ...choices.map((choice) => [choice, choice] as const)] }
      : shown !== undefined && { placeholder: String(shown) }),
  };
}

type FirstOf<K extends string, T> = Record<K, readonly T[]>;
type AgentRow = { tokenId: number; agentAddress: string; name: string };

/** By what a place names; absent where the service has none. */
export type LiveValues = Partial<Record<"agent" | "wallet" | "name" | "human" | "organization" | "code", string>>;

/** A read that may find nothing: its place keeps the document's example. */
const first = <T,>(path: string): Promise<T | null> =>
  call<T>(path).then(
    ({ data }) => data,
    () => null,
  );

/** Values that exist on this service for the places of paths: an agent, its wallet, a human, an organization. */
export const liveValues = queryOptions({
  queryKey: ["docs", "live-values"],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async (): Promise<LiveValues> => {
    const [agents, humans, organizations] = await Promise.all([
      first<FirstOf<"agents", AgentRow>>("/api/v2/agents?sort=credScore&order=desc&limit=1"),
      first<FirstOf<"humans", { id: string }>>("/api/v2/humans?limit=1"),
      first<FirstOf<"organizations", { slug: string }>>("/api/v2/organizations?limit=1"),
    ]);
    const agent = agents?.agents[0];
    const referral = agent && (await first<{ code: string }>(`/api/v2/agent/${agent.tokenId}/referral`));
    const found = {
      agent: agent && String(agent.tokenId),
      wallet: agent?.agentAddress,
      name: agent?.name,
      human: humans?.humans[0]?.id,
      organization: organizations?.organizations[0]?.slug,
      code: referral?.code,
    };
    return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
  },
});

/** What a place of a path names: by the path it is in, and its own name. The first that fits. */
const PLACES: readonly [path: RegExp, name: RegExp, value: (live: LiveValues) => string | undefined][] = [
  [/\/human\//, /^id$/, ({ human }) => human],
  [/\/org\//, /^id$/, ({ organization }) => organization],
  [/\/referral\/\{/, /^code$/, ({ code }) => code],
  [/\/name\//, /^name$/, ({ name }) => name],
  [/\/og\//, /^address$/, ({ wallet }) => wallet],
  [/\/terminal\/agent\//, /^ref$/, ({ agent }) => agent && rowRef(OWN_PLATFORM, agent)],
  [/\/(aura|card)\//, /^file$/, ({ agent }) => agent && `${agent}.png`],
  [/\/badge\//, /^file$/, ({ agent }) => agent && `${agent}.svg`],
  [/\/(agent|metadata)\//, /^(id|ref)$/, ({ agent }) => agent],
];

/** The value that a parameter begins with: one that exists here, or the document's; none for what may be left out. */
export function beginning({ path }: Pick<Operation, "path">, parameter: Parameter, live: LiveValues): string {
  if (!parameter.required) return "";
  const [, , value] = PLACES.find(([where, name]) => where.test(path) && name.test(parameter.name)) ?? [];
  const given = value?.(live) ?? parameter.example ?? parameter.schema.example ?? parameter.schema.enum?.[0] ?? "";
  return String(given);
}

const callerOf = ({ signsIn, schemes }: Operation): CallerRule =>
  !signsIn ? "anyone" : schemes.has("siwe") ? "human" : "siwa";

type SignedSendProps = { operation: Operation; request: SampleRequest; fault: string | null };

/** Sends what a wallet signs in for or pays, step by step as the pages of the terminal do. */
export function SignedSend({ operation, request, fault }: SignedSendProps) {
  const { method, body } = request;
  const op = useOperation<unknown>({ name: `docs.${operation.id}`, caller: callerOf(operation) });
  const sent: Request = {
    method: method.toUpperCase() as Request["method"],
    path: targetOf(request),
    ...(body !== undefined && fault === null && { body: JSON.parse(body) as unknown }),
  };
  return (
    <NeedsWallet>
      <p className="muted">This is the service itself: what is sent here is done.</p>
      <OperationButton
        op={op}
        request={sent}
        does={operation.signsIn ? "Sign in and send" : "Send"}
        strong
        barred={fault !== null}
        done={(answer) => (
          <Note title="Answer">
            <pre className="code docs-body">{JSON.stringify(answer, null, 2)}</pre>
          </Note>
        )}
        refused={refusedAs}
      />
    </NeedsWallet>
  );
}

/** A refusal with its whole body, as programs get it. */
const refusedAs = (problem: unknown) =>
  problem instanceof Problem && problem.status > 0 ? (
    <Note title={`Refused with ${problem.status}`}>
      <p>{problem.message}</p>
      <pre className="code docs-body">{JSON.stringify(problem.body, null, 2)}</pre>
      <RequestId of={problem.requestId} />
    </Note>
  ) : null;
