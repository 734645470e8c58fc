/** Reservations about proofs and attestations, in the service's words: an earlier owner's proof, or one that serves many agents. */
import type { Reservation } from "../../../core/views/fields.ts";

type Props = { of: readonly Pick<Reservation, "about" | "says">[] | undefined; about?: Reservation["about"] };

/** @param about only those about one proof; by default all */
export const Reservations = ({ of = [], about }: Props) =>
  of
    .filter((each) => about === undefined || each.about === about)
    .map(({ says }) => (
      <span className="reservation" key={says}>
        {says}
      </span>
    ));
