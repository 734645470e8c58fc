CREATE TABLE "offchain"."session_outcome" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"token_id" bigint NOT NULL,
	"api_key_id" text NOT NULL,
	"session_id" text,
	"outcome" text NOT NULL,
	"details" text,
	"duration_seconds" integer,
	"recorded_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "session_outcome_session" ON "offchain"."session_outcome" USING btree ("api_key_id","session_id");--> statement-breakpoint
CREATE INDEX "session_outcome_token" ON "offchain"."session_outcome" USING btree ("token_id","outcome");