CREATE TABLE "offchain"."probe_day" (
	"key" "bytea" NOT NULL,
	"day" date NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"began" boolean NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"answers" boolean NOT NULL,
	"up" interval NOT NULL,
	"answered_at" timestamp with time zone,
	"down_at" timestamp with time zone,
	"ms" smallint[],
	"subjects" integer[] NOT NULL,
	CONSTRAINT "probe_day_key_day_pk" PRIMARY KEY("key","day")
);
--> statement-breakpoint
ALTER TABLE "offchain"."offer_progress" ADD COLUMN "probes_to" date;