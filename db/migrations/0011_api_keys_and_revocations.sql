CREATE TABLE "offchain"."api_key" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"revoked_at" timestamp with time zone,
	"last_used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "offchain"."credential_revocation" (
	"wallet" text PRIMARY KEY NOT NULL,
	"revoked_before" timestamp with time zone NOT NULL
);
