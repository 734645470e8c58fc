CREATE TABLE "offchain"."human" (
	"id" text PRIMARY KEY NOT NULL,
	"principal" text NOT NULL,
	"wallet" text,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"image" text,
	"organization" text NOT NULL,
	"skills" text[] NOT NULL,
	"domains" text[] NOT NULL,
	"linked_accounts" jsonb NOT NULL,
	"services" jsonb NOT NULL,
	"contact" jsonb NOT NULL,
	"token_id" bigint,
	"token_transfers" bigint,
	"transaction_count" bigint,
	"transaction_count_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "human_principal_unique" UNIQUE("principal")
);
--> statement-breakpoint
CREATE TABLE "offchain"."human_agent" (
	"human_id" text NOT NULL,
	"token_id" bigint NOT NULL,
	"owner" text NOT NULL,
	"transfers" bigint NOT NULL,
	"linked_at" timestamp with time zone NOT NULL,
	CONSTRAINT "human_agent_human_id_token_id_pk" PRIMARY KEY("human_id","token_id")
);
--> statement-breakpoint
CREATE TABLE "offchain"."organization" (
	"id" text PRIMARY KEY NOT NULL,
	"slug" text NOT NULL,
	"slug_key" text NOT NULL,
	"principal" text NOT NULL,
	"wallet" text,
	"display_name" text NOT NULL,
	"description" text NOT NULL,
	"image" text,
	"organization_type" text NOT NULL,
	"roles" text[] NOT NULL,
	"skills" text[] NOT NULL,
	"domains" text[] NOT NULL,
	"links" jsonb NOT NULL,
	"contact" jsonb NOT NULL,
	"members" jsonb NOT NULL,
	"token_id" bigint,
	"token_transfers" bigint,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "organization_slug_unique" UNIQUE("slug"),
	CONSTRAINT "organization_slugKey_unique" UNIQUE("slug_key")
);
--> statement-breakpoint
CREATE TABLE "offchain"."retired_slug" (
	"slug_key" text PRIMARY KEY NOT NULL,
	"holder" text NOT NULL,
	"retired_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "offchain"."human_agent" ADD CONSTRAINT "human_agent_human_id_human_id_fk" FOREIGN KEY ("human_id") REFERENCES "offchain"."human"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "human_wallet" ON "offchain"."human" USING btree ("wallet");--> statement-breakpoint
CREATE INDEX "human_token" ON "offchain"."human" USING btree ("token_id") WHERE token_id is not null;--> statement-breakpoint
CREATE INDEX "human_created" ON "offchain"."human" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "human_transactions_due" ON "offchain"."human" USING btree ("transaction_count_at") WHERE wallet is not null;--> statement-breakpoint
CREATE INDEX "human_agent_token" ON "offchain"."human_agent" USING btree ("token_id");--> statement-breakpoint
CREATE INDEX "organization_principal" ON "offchain"."organization" USING btree ("principal");--> statement-breakpoint
CREATE INDEX "organization_wallet" ON "offchain"."organization" USING btree ("wallet");--> statement-breakpoint
CREATE INDEX "organization_created" ON "offchain"."organization" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "retired_slug_retired" ON "offchain"."retired_slug" USING btree ("retired_at");