/** The page of an unknown address. */
import { Link } from "wouter";
import { Empty } from "../parts/states.tsx";

export default function NotFound() {
  return (
    <div className="page">
      <Empty instead title="There is nothing at this address">
        <p>
          The <Link href="/">directory</Link> has every agent.
        </p>
      </Empty>
    </div>
  );
}
