CREATE TABLE "offchain"."review_file" (
	"registry" text NOT NULL,
	"agent_id" numeric NOT NULL,
	"client" text NOT NULL,
	"feedback_index" numeric NOT NULL,
	"digest" text NOT NULL,
	"given_at" bigint NOT NULL,
	"site" text,
	"state" text NOT NULL,
	"why" text,
	"read_at" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"tried_at" timestamp with time zone,
	"next_try_at" timestamp with time zone,
	"proof_tx" text,
	"proof_state" text,
	"proof_wallet" text,
	"payer" text,
	"units" numeric,
	"paid_at" bigint,
	"block_hash" text,
	"proof_next_at" timestamp with time zone,
	CONSTRAINT "review_file_registry_agent_id_client_feedback_index_pk" PRIMARY KEY("registry","agent_id","client","feedback_index")
);
--> statement-breakpoint
ALTER TABLE "offchain"."review_figures" ADD COLUMN "files_seen" text;--> statement-breakpoint
ALTER TABLE "offchain"."reviewer_history" ADD COLUMN "origin" text;--> statement-breakpoint
ALTER TABLE "offchain"."reviewer_history" ADD COLUMN "origin_sent" bigint;--> statement-breakpoint
ALTER TABLE "offchain"."reviewer_history" ADD COLUMN "reader" smallint DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE INDEX "review_file_due" ON "offchain"."review_file" USING btree ("next_try_at");--> statement-breakpoint
CREATE INDEX "review_file_tried" ON "offchain"."review_file" USING btree ("site","tried_at");--> statement-breakpoint
CREATE INDEX "review_file_proof" ON "offchain"."review_file" USING btree ("proof_tx");--> statement-breakpoint
CREATE INDEX "review_file_proof_due" ON "offchain"."review_file" USING btree ("proof_next_at");