/** Parts whose code is loaded when they are first shown, and asked for again when they are shown after a failure. */
import { type ComponentType, createElement, lazy } from "react";

type Module<P> = { default: ComponentType<P> };

/** The code of a part could not be loaded: there is no connection, or a newer version of the page was deployed. */
export class NotLoaded extends Error {
  /** The next rendering of the part asks for its code again: React keeps a failure. */
  readonly renew: () => void;
  constructor(renew: () => void, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.renew = renew;
  }
}

/** @param begun the first attempt, where it was made before the part is shown */
export function onDemand<P extends object>(
  load: () => Promise<Module<P>>,
  begun?: Promise<Module<P>>,
): ComponentType<P> {
  const attempt = (loading: () => Promise<Module<P>>) =>
    lazy<ComponentType<P>>(async () => {
      try {
        return await loading();
      } catch (cause) {
        throw new NotLoaded(renew, cause);
      }
    });
  const renew = () => {
    Part = attempt(load);
  };
  let Part = attempt(() => begun ?? load());
  return (props) => createElement(Part as ComponentType<P>, props);
}
