CREATE TABLE "offchain"."review_figures" (
	"registry" text NOT NULL,
	"agent_id" numeric NOT NULL,
	"seen" text,
	"rules" smallint,
	"reviewers" integer NOT NULL,
	"raw" double precision,
	"adjusted" double precision,
	"low" double precision,
	"high" double precision,
	"inflation" double precision,
	"voices" integer,
	"crowd" double precision,
	"clusters" jsonb,
	"computed_at" timestamp with time zone,
	CONSTRAINT "review_figures_registry_agent_id_pk" PRIMARY KEY("registry","agent_id")
);
--> statement-breakpoint
CREATE TABLE "offchain"."review_weight" (
	"registry" text NOT NULL,
	"agent_id" numeric NOT NULL,
	"client" text NOT NULL,
	"rank" smallint NOT NULL,
	"nothing" text,
	"standing" text NOT NULL,
	"share" double precision NOT NULL,
	"cluster" text,
	"entries" integer NOT NULL,
	CONSTRAINT "review_weight_registry_agent_id_client_pk" PRIMARY KEY("registry","agent_id","client")
);
--> statement-breakpoint
CREATE TABLE "offchain"."reviewer_history" (
	"address" text PRIMARY KEY NOT NULL,
	"first_at" bigint,
	"sent" bigint,
	"previous_at" bigint,
	"funder" text,
	"funder_sent" bigint
);
--> statement-breakpoint
CREATE INDEX "review_figures_computed" ON "offchain"."review_figures" USING btree ("computed_at");--> statement-breakpoint
CREATE INDEX "review_weight_shown" ON "offchain"."review_weight" USING btree ("registry","agent_id","rank","client");