CREATE TABLE "offchain"."commerce_contract" (
	"contract" text PRIMARY KEY NOT NULL,
	"from_block" bigint NOT NULL,
	"read_to" bigint NOT NULL,
	"read_at" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "offchain"."commerce_figures" (
	"directory_id" bigint PRIMARY KEY NOT NULL,
	"wallet" text NOT NULL,
	"seen" bigint NOT NULL,
	"figures" jsonb NOT NULL,
	"computed_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."commerce_job" (
	"job_id" numeric PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"block" bigint NOT NULL,
	"log_index" integer NOT NULL,
	"funded_at" bigint NOT NULL,
	"ended_at" bigint,
	"client" text NOT NULL,
	"evaluator" text,
	"token" text,
	"units" numeric NOT NULL,
	"state" text NOT NULL,
	"job" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."commerce_log" (
	"block_hash" text NOT NULL,
	"log_index" integer NOT NULL,
	"block" bigint NOT NULL,
	"at" bigint NOT NULL,
	"tx_hash" text NOT NULL,
	"job_id" numeric NOT NULL,
	"event" jsonb NOT NULL,
	CONSTRAINT "commerce_log_block_hash_log_index_pk" PRIMARY KEY("block_hash","log_index")
);
--> statement-breakpoint
CREATE TABLE "offchain"."commerce_mark" (
	"block" bigint PRIMARY KEY NOT NULL,
	"hash" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."commerce_provider" (
	"provider" text PRIMARY KEY NOT NULL,
	"version" bigserial NOT NULL
);
--> statement-breakpoint
ALTER TABLE "offchain"."commerce_figures" ADD CONSTRAINT "commerce_figures_directory_id_directory_id_fk" FOREIGN KEY ("directory_id") REFERENCES "offchain"."directory"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "commerce_figures_computed" ON "offchain"."commerce_figures" USING btree ("computed_at");--> statement-breakpoint
CREATE INDEX "commerce_figures_wallet" ON "offchain"."commerce_figures" USING btree ("wallet");--> statement-breakpoint
CREATE INDEX "commerce_job_provider" ON "offchain"."commerce_job" USING btree ("provider","block","log_index");--> statement-breakpoint
CREATE INDEX "commerce_log_block" ON "offchain"."commerce_log" USING btree ("block");--> statement-breakpoint
CREATE INDEX "commerce_log_job" ON "offchain"."commerce_log" USING btree ("job_id");