CREATE TABLE "offchain"."income_account" (
	"address" text PRIMARY KEY NOT NULL,
	"sent" bigint
);
--> statement-breakpoint
CREATE TABLE "offchain"."income_cohort" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"from_block" bigint NOT NULL,
	"read_to" bigint NOT NULL,
	"read_at" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"next_try_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "offchain"."income_figures" (
	"directory_id" bigint PRIMARY KEY NOT NULL,
	"wallet" text NOT NULL,
	"seen" text NOT NULL,
	"figures" jsonb NOT NULL,
	"computed_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."income_followed" (
	"address" text NOT NULL,
	"kind" text NOT NULL,
	"cohort" bigint NOT NULL,
	"changed_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "income_followed_address_kind_pk" PRIMARY KEY("address","kind")
);
--> statement-breakpoint
CREATE TABLE "offchain"."income_mark" (
	"cohort" bigint NOT NULL,
	"block" bigint NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "income_mark_cohort_block_pk" PRIMARY KEY("cohort","block")
);
--> statement-breakpoint
CREATE TABLE "offchain"."income_move" (
	"block_hash" text NOT NULL,
	"log_index" integer NOT NULL,
	"block" bigint NOT NULL,
	"at" bigint NOT NULL,
	"tx_hash" text NOT NULL,
	"sender" text NOT NULL,
	"recipient" text NOT NULL,
	"units" numeric NOT NULL,
	"nonce" text,
	CONSTRAINT "income_move_block_hash_log_index_pk" PRIMARY KEY("block_hash","log_index")
);
--> statement-breakpoint
CREATE TABLE "offchain"."income_payment" (
	"directory_id" bigint NOT NULL,
	"block" bigint NOT NULL,
	"log_index" integer NOT NULL,
	"tx_hash" text NOT NULL,
	"at" bigint NOT NULL,
	"payer" text NOT NULL,
	"units" numeric NOT NULL,
	"rule" text,
	"through" text,
	CONSTRAINT "income_payment_directory_id_block_log_index_pk" PRIMARY KEY("directory_id","block","log_index")
);
--> statement-breakpoint
ALTER TABLE "offchain"."income_figures" ADD CONSTRAINT "income_figures_directory_id_directory_id_fk" FOREIGN KEY ("directory_id") REFERENCES "offchain"."directory"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offchain"."income_followed" ADD CONSTRAINT "income_followed_cohort_income_cohort_id_fk" FOREIGN KEY ("cohort") REFERENCES "offchain"."income_cohort"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offchain"."income_mark" ADD CONSTRAINT "income_mark_cohort_income_cohort_id_fk" FOREIGN KEY ("cohort") REFERENCES "offchain"."income_cohort"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "offchain"."income_payment" ADD CONSTRAINT "income_payment_directory_id_directory_id_fk" FOREIGN KEY ("directory_id") REFERENCES "offchain"."directory"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "income_figures_computed" ON "offchain"."income_figures" USING btree ("computed_at");--> statement-breakpoint
CREATE INDEX "income_figures_wallet" ON "offchain"."income_figures" USING btree ("wallet");--> statement-breakpoint
CREATE INDEX "income_followed_cohort" ON "offchain"."income_followed" USING btree ("cohort");--> statement-breakpoint
CREATE INDEX "income_move_recipient" ON "offchain"."income_move" USING btree ("recipient","block");--> statement-breakpoint
CREATE INDEX "income_move_sender" ON "offchain"."income_move" USING btree ("sender","block");--> statement-breakpoint
CREATE INDEX "income_payment_payer" ON "offchain"."income_payment" USING btree ("directory_id","payer");