/** The page people come back to from the identity provider: it finishes the sign-in, and leads to one's own page. */
import { useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { say } from "../say.tsx";
import { Note } from "../wallet/operation.tsx";
import { finish } from "./provider.ts";
import { SignInAgain } from "./sign-in.tsx";

const OWN_PAGE = "/people/join";

export default function ReturnPage() {
  const [, go] = useLocation();
  const [trouble, setTrouble] = useState<string>();
  useEffect(() => {
    finish().then(
      () => go(OWN_PAGE, { replace: true }),
      (error: Error) => setTrouble(error.message),
    );
  }, []);
  return (
    <div className="page narrow">
      <div className="page-head">
        <h1>{say("people.idp.title")}</h1>
      </div>
      {trouble === undefined ? (
        <section className="panel mint-step" role="status" aria-busy="true">
          <p>{say("people.idp.finishing")}</p>
        </section>
      ) : (
        <Note title={say("people.idp.notSignedIn")}>
          <p>{trouble}</p>
          <SignInAgain />
          <p>
            <Link href={OWN_PAGE}>{say("people.idp.otherWays")}</Link>
          </p>
        </Note>
      )}
    </div>
  );
}
