CREATE TABLE "offchain"."probe" (
	"at" timestamp with time zone NOT NULL,
	"subject" integer NOT NULL,
	"status" smallint NOT NULL,
	"ms" smallint,
	"answers" boolean NOT NULL,
	CONSTRAINT "probe_subject_at_pk" PRIMARY KEY("subject","at")
);
--> statement-breakpoint
CREATE TABLE "offchain"."probe_subject" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "offchain"."probe_subject_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"key" "bytea" NOT NULL,
	"kind" text NOT NULL,
	"url" text NOT NULL,
	"declared" text,
	"found" text,
	CONSTRAINT "probe_subject_key" UNIQUE NULLS NOT DISTINCT("key","declared","found")
);
--> statement-breakpoint
ALTER TABLE "offchain"."offer_source" ADD COLUMN "declared" text;