/** The page people come back to from the identity provider: it finishes the sign-in, and leads to one's own page. */
import { useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { Note } from "../wallet/operation.tsx";
import { finish } from "./provider.ts";
import { SignInAgain } from "./sign-in.tsx";

const OWN_PAGE = "/people/join";

export default function ReturnPage() {
  const [, go] = useLocation();
  const [error, setError] = useState<string>();
  useEffect(() => {
    finish().then(
      () => go(OWN_PAGE, { replace: true }),
      (error: Error) => setError(error.message),
    );
  }, []);
  return (
    <div className="page narrow">
      <div className="page-head">
        <h1>Signing in</h1>
      </div>
      {error === undefined ? (
        <Note title="Working" role="status" busy>
          <p>Finishing the sign-in with the provider.</p>
        </Note>
      ) : (
        <Note title="You are not signed in">
          <p>{error}</p>
          <SignInAgain />
          <p>
            <Link href={OWN_PAGE}>Other ways to sign in</Link>
          </p>
        </Note>
      )}
    </div>
  );
}
