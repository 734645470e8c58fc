CREATE TABLE "offchain"."proof_ownership" (
	"token_id" bigint NOT NULL,
	"proof" text NOT NULL,
	"subject" text NOT NULL,
	"owner" text NOT NULL,
	"token_transfers" bigint NOT NULL,
	"proved_at" timestamp with time zone NOT NULL,
	CONSTRAINT "proof_ownership_pk" PRIMARY KEY("token_id","proof","subject","owner","token_transfers")
);
--> statement-breakpoint
-- Proofs that were made before their owners were recorded: an empty owner, and the time that decides.
INSERT INTO "offchain"."proof_ownership" ("token_id", "proof", "subject", "owner", "token_transfers", "proved_at")
SELECT "token_id", "platform", "account_id", '', 0, "verified_at" FROM "offchain"."proof"
UNION ALL
SELECT "token_id", 'wallet', "wallet", '', 0, "verified_at" FROM "offchain"."wallet_verification";
