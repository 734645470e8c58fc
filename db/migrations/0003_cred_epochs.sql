CREATE TABLE "offchain"."cred_epoch" (
	"epoch" bigint PRIMARY KEY NOT NULL,
	"chain_id" bigint NOT NULL,
	"registry" text NOT NULL,
	"contract" text NOT NULL,
	"root" text NOT NULL,
	"leaves" integer NOT NULL,
	"block" bigint NOT NULL,
	"computed_at" timestamp with time zone NOT NULL,
	"built_at" timestamp with time zone NOT NULL,
	"build_ms" integer NOT NULL,
	"checked_at" timestamp with time zone,
	"intent_key" text NOT NULL,
	"state" text NOT NULL,
	"tx_hash" text,
	"tx_block" bigint,
	"published_at" timestamp with time zone,
	"error" text,
	"kept" boolean NOT NULL,
	CONSTRAINT "cred_epoch_intentKey_unique" UNIQUE("intent_key")
);
--> statement-breakpoint
CREATE TABLE "offchain"."cred_epoch_part" (
	"epoch" bigint NOT NULL,
	"kind" text NOT NULL,
	"place" bigint NOT NULL,
	"bytes" "bytea" NOT NULL,
	CONSTRAINT "cred_epoch_part_epoch_kind_place_pk" PRIMARY KEY("epoch","kind","place")
);
--> statement-breakpoint
ALTER TABLE "offchain"."cred_epoch_part" ADD CONSTRAINT "cred_epoch_part_epoch_cred_epoch_epoch_fk" FOREIGN KEY ("epoch") REFERENCES "offchain"."cred_epoch"("epoch") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "cred_epoch_block" ON "offchain"."cred_epoch" USING btree ("block");--> statement-breakpoint
CREATE INDEX "cred_epoch_open" ON "offchain"."cred_epoch" USING btree ("epoch") WHERE state = 'built';--> statement-breakpoint
CREATE INDEX "cred_epoch_kept" ON "offchain"."cred_epoch" USING btree ("epoch") WHERE kept;