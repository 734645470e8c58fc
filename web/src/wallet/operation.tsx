/** A write of the API in a page: its state, and the panels that show it. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Problem } from "../api/answer.ts";
import { asked, discovery } from "../api/queries.ts";
import type { X402Manifest } from "../api/types.ts";
import { counted, duration, usdc } from "../formats.ts";
import { Action, Button, Icon } from "../parts/button.tsx";
import { Address, Copy } from "../parts/copy.tsx";
import { type Faults, Form, type FormProps, type FormText, faultsOf } from "../parts/form.tsx";
import { Facts } from "../parts/panel.tsx";
import { ErrorText, Hint, RequestId } from "../parts/states.tsx";
import { OperationRun, type Request, type State } from "./operation-store.ts";
import { holding, type Terms } from "./payment.ts";
import { useWallet } from "./session.ts";
import type { CallerRule } from "./sign-ins.ts";

/** Operations under way by name: a visit of another page does not end them. */
const operations = new Map<string, OperationRun<unknown>>();

export type RunningOperation<T> = Pick<OperationRun<T>, "run" | "pay" | "again" | "reset" | "settled"> & {
  state: State<T>;
  /** Whether it is under way. */
  busy: boolean;
  /** The errors of fields in its refusal. */
  faults: Faults;
};

type OperationOptions<T> = {
  /** Of the operation and its subject, `update.7`: a request of that name continues after a reload. */
  name: string;
  /** Who may do it, as the endpoint's guard says. */
  caller: CallerRule;
  /** Keeps what the answer brings before its request is forgotten, also when the page was left meanwhile. */
  arrived?: (answer: T, address: string | null) => void;
  /** The path under which its outcome changes answers, empty for all: they are read again, also after a refusal, which may be news. */
  changes?: string;
  /** Is told the answer while the page is there. */
  done?: (answer: T) => void;
};

/** A write of the API, or a read that is paid for. */
export function useOperation<T>({ name, caller, arrived, changes, done }: OperationOptions<T>): RunningOperation<T> {
  const [operation] = useState(() => {
    const run = operations.get(name) as OperationRun<T> | undefined;
    const one = run ?? new OperationRun<T>(name, caller, arrived);
    operations.set(name, one as OperationRun<unknown>);
    // What an earlier visit of the page ended with is not news.
    if (["done", "refused"].includes(one.read().at)) one.reset();
    return one;
  });
  const wallet = useWallet();
  useEffect(() => void operation.resume(), [operation, wallet]);
  const state = operation.use();
  const { at } = state;
  const queries = useQueryClient();
  useEffect(() => {
    if (state.at === "done") done?.(state.answer);
    if (changes === undefined || (at !== "done" && at !== "refused")) return;
    const isChanged = (key: unknown) => typeof key === "string" && (key === changes || key.startsWith(`${changes}/`));
    void queries.invalidateQueries({ predicate: ({ queryKey }) => isChanged(queryKey[0]) });
  }, [at, changes, queries]);
  const { run, pay, again, reset, settled } = operation;
  const faults = useMemo(() => faultsOf(state.at === "refused" ? state.problem : null), [state]);
  return { state, busy: state.at === "working", faults, run, pay, again, reset, settled };
}

type StepsProps<T> = {
  op: RunningOperation<T>;
  done?: (answer: T) => ReactNode;
  /** Replaces the panel of a refusal, where a page has better words; null keeps the panel. */
  refused?: (problem: unknown) => ReactNode;
  /** What is paid for; shown with the price. */
  about?: ReactNode;
};

/** Shows the state of an operation: progress, price, unknown outcome, refusal, success. Idle shows nothing. */
export function OperationSteps<T>({ op, done, refused, about }: StepsProps<T>) {
  const { state } = op;
  if (state.at === "working")
    return (
      <Note title="Working" role="status" busy>
        <p>{state.saying}</p>
      </Note>
    );
  if (state.at === "terms")
    return (
      <Price terms={state.terms} refused={state.refused} pay={() => void op.pay(state.terms)} back={op.reset}>
        {about}
      </Price>
    );
  if (state.at === "undecided")
    return (
      <Note title={state.paid ? "The payment's outcome is not known yet" : "The answer did not arrive"}>
        <p>{state.problem.message}</p>
        <p className="muted">
          {state.paid
            ? "Asking again uses the payment you have signed already. It can be charged once at most, and not at all after five minutes."
            : "Asking again sends the same request with the same key: it is carried out once at most."}
        </p>
        <p className="actions">
          <Button strong onClick={() => void op.again()}>
            {state.paid ? "Ask again with the same payment" : "Ask again"}
          </Button>
          {!state.paid && <Button onClick={op.reset}>Back</Button>}
        </p>
      </Note>
    );
  if (state.at === "refused") return refused?.(state.problem) ?? <Refused problem={state.problem} />;
  return state.at === "done" ? done?.(state.answer) : null;
}

type FormOf<T> = Omit<FormProps, "submit" | "faults"> &
  StepsProps<T> & {
    request: (text: FormText) => Request;
    /** The form begins anew with another one; the outcome of what was sent stays. */
    formKey?: string | number;
  };

/** A form that sends one request, with the steps of it below. */
export const OperationForm = <T,>({ op, done, refused, about, request, busy, formKey, ...form }: FormOf<T>) => (
  <>
    <Form
      key={formKey}
      {...form}
      faults={op.faults}
      busy={op.busy || busy}
      submit={(text) => void op.run(request(text))}
    />
    <OperationSteps {...{ op, done, refused, about }} />
  </>
);

type ButtonOf<T> = StepsProps<T> & {
  request: Request;
  does: ReactNode;
  strong?: boolean;
  /** Whether it cannot be done now. */
  barred?: boolean;
};

/** A button that sends one request, with the steps of it below. */
export const OperationButton = <T,>({ op, request, does, strong, barred, ...steps }: ButtonOf<T>) => (
  <>
    <Action strong={strong} disabled={op.busy || barred} onClick={() => void op.run(request)}>
      {does}
    </Action>
    <OperationSteps op={op} {...steps} />
  </>
);

type NoteProps = { title: ReactNode; role?: "alert" | "status"; busy?: boolean; children?: ReactNode };

/** A panel that is read out, at once unless it only tells a state. */
export const Note = ({ title, role = "alert", busy, children }: NoteProps) => (
  <section className="panel mint-step" role={role} aria-busy={busy}>
    <h2>{title}</h2>
    {children}
  </section>
);

/** What was done, in one line. */
export const Done = ({ children }: { children: ReactNode }) => (
  <p className="outcome" role="status">
    <Icon name="check" /> <span>{children}</span>
  </p>
);

type RefusedProps = {
  problem: unknown;
  title?: string;
  /** What is known of it here. */
  children?: ReactNode;
  /** Better advice than the service's hint. */
  advice?: ReactNode;
};

/**
 * The reason why an operation was not done: the service's sentence with its hint and request id, or the wallet's; and every
 * field that it is about, but the first, which the sentence names: some have no place in a form.
 */
export function Refused({ problem, title = "Not done", children, advice }: RefusedProps) {
  const known = problem instanceof Problem ? problem : null;
  const [, ...others] = faultsOf(problem);
  const seconds = Number(known?.headers.get("retry-after") ?? known?.body.retryAfter);
  return (
    <>
      <Note title={title}>
        <p>{(problem as Error).message}</p>
        {children}
        {advice ?? <Hint of={known} />}
        {seconds > 0 && <p className="muted">Try again in {duration(seconds)}.</p>}
        <RequestId of={known?.requestId} />
      </Note>
      {others.length > 0 && (
        <ul className="stack">
          {others.map(([path, message]) => (
            <li key={path} className="fault">
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Steps that follow each other. @param props.now the place of the one that it is at */
export const Stages = ({ of, now, label }: { of: readonly string[]; now: number; label?: string }) => (
  <ol className="stages" aria-label={label}>
    {of.map((words, i) => (
      <li key={words} data-state={i < now ? "done" : i === now ? "now" : undefined}>
        {words}
        {i === now && <span className="unseen"> (now)</span>}
      </li>
    ))}
  </ol>
);

type TopUpProps = { address: string; look: () => void; children: ReactNode };

/** How much the account lacks, its address to send it to, and another look. */
export const TopUp = ({ address, look, children }: TopUpProps) => (
  <div className="note-line" role="status">
    <p>{children}</p>
    <p className="mono wrap">
      {address} <Copy text={address} />
    </p>
    <Button onClick={look}>Look again</Button>
  </div>
);

const manifest = asked<X402Manifest>("/.well-known/x402.json");

/** Who is paid for an operation, by today's terms. @param props.path its route */
export function Receiver({ method, path }: { method: string; path: string }) {
  const items = useQuery(manifest).data?.data.items;
  const explorer = useQuery(discovery).data?.data.explorer;
  const item = items?.find(({ input }) => input.method === method && input.routeTemplate === path);
  const address = item?.accepts[0]?.payTo;
  return address ? <Address address={address} explorer={explorer} /> : "the service";
}

type PriceProps = {
  terms: Terms;
  refused: string | undefined;
  pay: () => void;
  back: () => void;
  children: ReactNode;
};

/** The price, exact to the unit, and what the account holds, shown before anything is signed. */
function Price({ terms, refused, pay, back, children }: PriceProps) {
  const amount = usdc(terms.amount);
  const wallet = useWallet();
  const heading = useRef<HTMLHeadingElement>(null);
  // The button that led here is gone; what it led to is read out and brought into view.
  useEffect(() => heading.current?.focus(), []);
  const { data, refetch } = useQuery({
    queryKey: ["held", wallet?.address, terms.asset],
    queryFn: () => holding(wallet!.provider, terms, wallet!.address),
    enabled: wallet !== null,
  });
  const held = typeof data === "bigint" ? data : null;
  return (
    <section className="panel mint-step" aria-label={`This costs ${amount} USDC`}>
      <h2 ref={heading} tabIndex={-1}>
        This costs {amount} USDC
      </h2>
      <ErrorText words={refused} />
      {children}
      <Facts
        of={[
          ["Amount", `${amount} USDC, exactly`],
          ["Network", terms.chainId === 8453 ? "Base" : `chain ${terms.chainId}`],
          ["To", terms.payTo, { className: "mono wrap" }],
          ["Token", terms.asset, { className: "mono wrap" }],
          held !== null && ["You hold", `${usdc(held)} USDC`],
        ]}
      />
      {wallet && held !== null && held < BigInt(terms.amount) && (
        <TopUp address={wallet.address} look={() => void refetch()}>
          {usdc(BigInt(terms.amount) - held)} USDC more are needed. Send them on Base to this account, then look again:
        </TopUp>
      )}
      <p className="muted">
        Your wallet signs a permission to move this amount once, within{" "}
        {counted(Math.round(terms.seconds / 60), "minute", "minutes")}. You need no ether. Everything that could refuse
        the request has been checked.
      </p>
      <p className="actions">
        <Button strong onClick={pay}>
          Pay {amount} USDC
        </Button>
        <Button onClick={back}>Back</Button>
      </p>
    </section>
  );
}
