/** The page of an unknown address. */

import { Link } from "wouter";
import { Empty } from "../parts/states.tsx";
import { Say, say } from "../say.tsx";

export const NotFound = () => (
  <div className="page">
    <Empty instead title={say("shell.thereIsNothingAtThis")}>
      <p>
        <Say k="shell.everyAgent" directory={(text) => <Link href="/">{text}</Link>} />
      </p>
    </Empty>
  </div>
);
