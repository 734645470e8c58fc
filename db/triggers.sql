-- What db/schema/tables.ts cannot say: an extension, an index and a storage parameter that Drizzle has no words for, the trigger
-- functions with their triggers, and the rows that every database begins with.
--
-- `npm run migrate` runs this file after the migrations and in their transaction, whenever it differs from the file it
-- ran last. So every statement can run again on a database that has it already, and a function is changed here, in
-- place. To remove a trigger or a function, delete it here and drop it in a migration.

-- ---------------------------------------------------------------------------------------------------------------------
-- Search by parts of names
-- ---------------------------------------------------------------------------------------------------------------------

-- In the schema itself, so that no search path decides whether the operators of the index below are found.
create extension if not exists pg_trgm with schema offchain;

create index if not exists directory_search
  on offchain.directory using gin (search_name offchain.gin_trgm_ops) where removed_at is null;

-- 15 % of each page stays free for new versions of its rows: a change of a column without an index touches no index.
alter table offchain.directory set (fillfactor = 85);

-- ---------------------------------------------------------------------------------------------------------------------
-- Search by what agents can do
-- ---------------------------------------------------------------------------------------------------------------------

create index if not exists discovery_word_trigrams
  on offchain.discovery_word using gin (word offchain.gin_trgm_ops) where written;

-- As in the directory: a change of trust alone touches no index.
alter table offchain.discovery_document set (fillfactor = 85);
-- Searches read a few lexemes of hundreds of documents: decompressing each would take longer than all else.
alter table offchain.discovery_document alter column words set storage external;

-- The documents whose vectors differ from a question's in the fewest signs, nearest first: all of one model are compared.
create or replace function offchain.discovery_near_exact(asked varbit, of_model text, most int)
returns table (directory_id int8, digest bytea, distance int8) language sql stable parallel safe as $$
  select m.directory_id, m.digest, bit_count(m.signs # asked)
  from offchain.discovery_meaning m where m.model = of_model and m.signs is not null
  order by 3, 1 limit most
$$;

-- What questions call. Where Postgres has the extension vector, db/schema/meaning-index.ts lets it read an index.
create or replace function offchain.discovery_near(asked varbit, of_model text, most int)
returns table (directory_id int8, digest bytea, distance int8) language plpgsql stable parallel safe as $$
begin
  return query select * from offchain.discovery_near_exact(asked, of_model, most);
end $$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Tables partitioned by time (db/sql/time-partitions.ts)
-- ---------------------------------------------------------------------------------------------------------------------

-- Drizzle has no words for partitions. This makes a partitioned table of a plain one, once: names of keys and indexes stay,
-- and rows of a former version stay where they are, in the partition `<table>_kept`; attaching reads them once. Rows whose
-- partition does not exist go into `<table>_default`. `by_column` must be part of every unique key.
create or replace function offchain.partition_by_time(named text, by_column text, period text) returns void
language plpgsql set search_path = pg_catalog set timezone = 'UTC' as $$
declare
  plain regclass := format('offchain.%I', named);
  kept text := named || '_kept';
  keys text[];
  indexes text[];
  of_index text;
  statement text;
  newest timestamptz;
begin
  if (select relkind from pg_class where oid = plain) = 'p' then return; end if;
  select array_agg(format('alter table %s add constraint %I %s', plain, conname, pg_get_constraintdef(oid)) order by conname)
    into keys from pg_constraint where conrelid = plain and contype in ('p', 'u', 'f');
  -- In the order of their names, for it decides the names of the partitions' own.
  select array_agg(pg_get_indexdef(indexrelid) order by indexrelid::regclass::text) into indexes from pg_index x
    where indrelid = plain and not exists (select from pg_constraint where conindid = x.indexrelid);
  execute format('alter table %s rename to %I', plain, kept);
  for of_index in select relname from pg_index join pg_class on pg_class.oid = indexrelid where indrelid = plain loop
    execute format('alter index offchain.%I rename to %I', of_index, of_index || '_kept');
  end loop;
  execute format('create table offchain.%I (like offchain.%I including defaults) partition by range (%I)', named, kept, by_column);
  foreach statement in array keys || indexes loop
    execute statement;
  end loop;
  for statement in
    select format('alter sequence %s owned by offchain.%I.%I', d.objid::regclass, named, a.attname)
    from pg_depend d join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
    where d.refobjid = plain and d.classid = 'pg_class'::regclass and d.deptype = 'a'
      and (select relkind from pg_class where oid = d.objid) = 'S'
  loop
    execute statement;
  end loop;
  execute format('create table offchain.%I partition of offchain.%I default', named || '_default', named);
  execute format('select max(%I)::timestamptz from offchain.%I', by_column, kept) into newest;
  if newest is null then
    execute format('drop table offchain.%I', kept);
  else
    execute format('alter table offchain.%I attach partition offchain.%I for values from (minvalue) to (%L)',
      named, kept, date_trunc(period, newest, 'UTC') + ('1 ' || period)::interval);
  end if;
end $$;

-- The partitions of a table but the default one, with their bounds.
create or replace function offchain.time_partitions(named text)
returns table (part text, begins timestamptz, ends timestamptz)
language sql stable set search_path = pg_catalog set timezone = 'UTC' as $$
  select c.relname::text, coalesce(substring(bound from $re$FROM \('([^']+)'$re$)::timestamptz, '-infinity'),
    substring(bound from $re$TO \('([^']+)'$re$)::timestamptz
  from pg_inherits i join pg_class c on c.oid = i.inhrelid, lateral pg_get_expr(c.relpartbound, c.oid) bound
  where i.inhparent = format('offchain.%I', named)::regclass and bound <> 'DEFAULT'
$$;

-- The next two run as the owner of the schema, for the role of the workers may not make or drop tables. They give up a lock
-- that is held for more than 0.4 s: less than Postgres waits before it looks for deadlocks (1 s), so that a writer in one with
-- them is never the one that fails. The next run of the job tries again.

-- Makes the partition of a time and that of the period after it, where they do not exist: the first moves rows out of the
-- default one when it comes late.
create or replace function offchain.make_partitions(named text, period text, of_time timestamptz) returns int4
language plpgsql security definer set search_path = pg_catalog set timezone = 'UTC' set lock_timeout = '400ms' as $$
declare
  parent regclass := format('offchain.%I', named);
  column_name text := substring(pg_get_partkeydef(parent) from '\((.*)\)');
  since timestamptz;
  until timestamptz;
  part text;
  made int4 := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('partitions of ' || named, 0));
  for n in 0..1 loop
    since := date_trunc(period, of_time, 'UTC') + n * ('1 ' || period)::interval;
    until := since + ('1 ' || period)::interval;
    -- Where periods were of another length before, one begins at the end of those.
    select greatest(since, max(p.ends)) into since
      from offchain.time_partitions(named) p where p.begins < until and p.ends > since;
    continue when since >= until;
    part := named || to_char(since, '_YYYYMMDD');
    execute format('create table offchain.%I (like %s including all)', part, parent);
    -- A writer that runs knows the partitions of its beginning: for a row of this time it would look into the default one.
    execute format('lock table %s in share row exclusive mode', parent);
    execute format(
      'with late as (delete from offchain.%1$I where %2$s >= %3$L and %2$s < %4$L returning *) insert into offchain.%5$I select * from late',
      named || '_default', column_name, since, until, part);
    execute format('alter table %s attach partition offchain.%I for values from (%L) to (%L)', parent, part, since, until);
    -- The role of the API and the workers has rights to the whole alone: what it may not change there, it may not change here.
    if to_regrole('app') is not null then execute format('revoke all on offchain.%I from app', part); end if;
    made := made + 1;
  end loop;
  return made;
end $$;

-- Drops the partitions whose rows are all older than a time.
create or replace function offchain.drop_partitions(named text, before timestamptz) returns int4
language plpgsql security definer set search_path = pg_catalog set timezone = 'UTC' set lock_timeout = '400ms' as $$
declare
  old text;
  dropped int4 := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('partitions of ' || named, 0));
  -- Whoever calls it: of the log of probes nothing goes that its longest window shows.
  if named = 'probe' then before := least(before, now() - interval '90 days'); end if;
  for old in select part from offchain.time_partitions(named) where ends <= before order by ends loop
    execute format('drop table offchain.%I', old);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;

-- Forgets what no probe is of any more. Waits for what is being appended, and keeps it waiting: a probe has its subject.
create or replace function offchain.forget_probe_subjects() returns void
language plpgsql security definer set search_path = pg_catalog as $$
begin
  lock table offchain.probe_subject in share row exclusive mode;
  delete from offchain.probe_subject s where not exists (select from offchain.probe p where p.subject = s.id);
end $$;

select offchain.partition_by_time('directory_rank', 'day', 'day');
select offchain.partition_by_time('probe', 'at', 'week');

-- ---------------------------------------------------------------------------------------------------------------------
-- The event log: a partition for each day
-- ---------------------------------------------------------------------------------------------------------------------

select offchain.partition_by_time('event', 'at', 'day');

-- Drops the partitions of the event log that ended before a time and have no event that may still be read or has no place
-- yet: an old event behind a young one is kept with it. Runs as the owner of the schema, as those above.
create or replace function offchain.event_drop_partitions(before timestamptz) returns int4
language plpgsql security definer set search_path = pg_catalog set timezone = 'UTC' set lock_timeout = '400ms' as $$
declare
  old text;
  needed bool;
  dropped int4 := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('partitions of event', 0));
  for old in select part from offchain.time_partitions('event') where ends <= before order by ends loop
    for attempt in 1..2 loop
      execute format('select exists (select from offchain.%1$I where position is null)
        or exists (select from offchain.%1$I where position > (select kept_after from offchain.event_log))', old) into needed;
      exit when needed;
      -- What was found without a lock is looked at again when no writer is left: readers wait for those that are dropped only.
      lock table only offchain.event in access exclusive mode;
    end loop;
    continue when needed;
    execute format('drop table offchain.%I', old);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;

-- Deletes events that are too old to be read from the partitions that are no day's: the default one, and that of a former
-- version. At most `most` of each.
create or replace function offchain.event_delete_strays(most int4) returns int4
language plpgsql set search_path = pg_catalog as $$
declare
  part text;
  of_part int4;
  deleted int4 := 0;
begin
  -- None is dropped, and no row moves out of the default one meanwhile.
  perform pg_advisory_xact_lock(hashtextextended('partitions of event', 0));
  foreach part in array array['event_default', 'event_kept'] loop
    continue when to_regclass('offchain.' || part) is null;
    execute format('delete from offchain.%1$I where ctid = any(array(select ctid from offchain.%1$I
      where position <= (select kept_after from offchain.event_log) order by position limit %2$s))', part, most);
    get diagnostics of_part = row_count;
    deleted := deleted + of_part;
  end loop;
  return deleted;
end $$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Score history: a partition for each month
-- ---------------------------------------------------------------------------------------------------------------------

-- Drizzle has no words for partitions. The history is partitioned by its id, so that the id stays its key: partition n has
-- the ids from n * 2^30 on, and with each month the sequence leaps to the next partition (below). A database of a former
-- version keeps its table as the first partition: nothing is copied, and attaching reads it once. An id that no partition
-- takes goes into the default one, which the metric agents_cred_history_stray_rows counts.
do $$
declare
  top int8;
begin
  if (select relkind from pg_class where oid = 'offchain.cred_history'::regclass) = 'p' then return; end if;
  select coalesce(max(id) >> 30, 0) + 1 into top from offchain.cred_history;
  drop trigger if exists cred_history_announce on offchain.cred_history;
  drop trigger if exists cred_history_notify on offchain.cred_history;
  drop trigger if exists cred_history_correct on offchain.cred_history;
  alter table offchain.cred_history rename to cred_history_kept;
  alter index offchain.cred_history_pkey rename to cred_history_kept_pkey;
  alter index offchain.cred_history_token rename to cred_history_kept_token;
  create table offchain.cred_history (like offchain.cred_history_kept including defaults) partition by range (id);
  alter table offchain.cred_history add constraint cred_history_pkey primary key (id);
  create index cred_history_token on offchain.cred_history (token_id, id);
  alter sequence offchain.cred_history_id_seq owned by offchain.cred_history.id;
  execute format('alter table offchain.cred_history attach partition offchain.cred_history_kept
    for values from (minvalue) to (%s)', top << 30);
  create table offchain.cred_history_default partition of offchain.cred_history default;
  insert into offchain.cred_history_period (number, began_at) values (top - 1, to_timestamp(0));
end $$;

-- The functions that make and remove partitions run as the owner of the schema; the role of the workers may not. They take
-- one lock, so that several workers do the same work once, and give up a lock that readers hold for long: the next run of
-- the job tries again.

-- Makes the partition of the ids that are given out now, and the next one.
create or replace function offchain.cred_history_ahead() returns void
language plpgsql security definer set search_path = pg_catalog set lock_timeout = '2s' as $$
declare
  current int8;
  n int8;
  made text;
begin
  select last_value >> 30 into current from offchain.cred_history_id_seq;
  for n in select generate_series(current, current + 1) loop
    made := format('cred_history_%s', n);
    continue when to_regclass('offchain.' || made) is not null
      or n <= (select min(number) from offchain.cred_history_period);
    execute format('create table offchain.%I (like offchain.cred_history including all)', made);
    execute format('alter table offchain.cred_history attach partition offchain.%I for values from (%s) to (%s)',
      made, n << 30, (n + 1) << 30);
  end loop;
end $$;

-- Begins the partition of a month, once: later ids are its own. Also one that ids have run into by themselves is noted.
create or replace function offchain.cred_history_rotate(of_time timestamptz) returns int4
language plpgsql security definer set search_path = pg_catalog set lock_timeout = '2s' as $$
declare
  current int8;
  newest record;
begin
  perform pg_advisory_xact_lock(hashtextextended('cred-history', 0));
  select last_value >> 30 into current from offchain.cred_history_id_seq;
  select number, began_at into newest from offchain.cred_history_period order by number desc limit 1;
  -- A writer that runs knows the partitions of its beginning: with an id of the next one it would look into the default one,
  -- which no longer takes it. So the leap waits for the writers under way, and the next ones wait for it.
  if current = newest.number and date_trunc('month', newest.began_at, 'UTC') < date_trunc('month', of_time, 'UTC') then
    lock table offchain.cred_history in share row exclusive mode;
    select last_value >> 30 into current from offchain.cred_history_id_seq;
  end if;
  perform offchain.cred_history_ahead();
  if current = newest.number then
    if date_trunc('month', newest.began_at, 'UTC') >= date_trunc('month', of_time, 'UTC') then return 0; end if;
    -- An id given out since is below; from here on every id is above.
    perform setval('offchain.cred_history_id_seq', (current + 1) << 30, false);
    current := current + 1;
  end if;
  insert into offchain.cred_history_period (number, began_at) values (current, of_time);
  return 1;
end $$;

-- Collects the last point of each agent before the newest month that began before a time: all that is kept of the months
-- before it. Locks nothing; null where there is nothing to remove.
create or replace function offchain.cred_history_gather(before timestamptz) returns int8
language plpgsql security definer set search_path = pg_catalog as $$
declare
  bound int8;
begin
  perform pg_advisory_xact_lock(hashtextextended('cred-history', 0));
  select max(number) << 30 into bound from offchain.cred_history_period where began_at <= before;
  if bound is null or bound <= (select min(number) << 30 from offchain.cred_history_period) then return null; end if;
  drop table if exists offchain.cred_history_next;
  create table offchain.cred_history_next (like offchain.cred_history including all);
  execute format('alter table offchain.cred_history_next add constraint bounded check (id < %s)', bound);
  insert into offchain.cred_history_next
    select distinct on (token_id) * from offchain.cred_history where id < bound order by token_id desc, id desc;
  return bound;
end $$;

-- Puts what was collected in the place of the partitions it was collected from. What was taken back meanwhile has left
-- corrections: points of their agents are collected anew. Holds up readers and writers of the history for that moment.
-- Deleting rows would leave corrections for agents whose score never changed; dropping their partition leaves none.
create or replace function offchain.cred_history_swap(bound int8, corrections_after int8) returns int4
language plpgsql security definer set search_path = pg_catalog set lock_timeout = '2s' as $$
declare
  part text;
  parts int4 := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('cred-history', 0));
  -- Another worker may have collected for another month since.
  if not exists (select from pg_constraint where conrelid = to_regclass('offchain.cred_history_next')
      and conname = 'bounded' and pg_get_constraintdef(oid) ~ format('\m%s\M', bound))
    or bound <= (select min(number) << 30 from offchain.cred_history_period)
    or not exists (select from offchain.cred_history_period where number = bound >> 30) then return 0; end if;
  lock table offchain.cred_history in access exclusive mode;
  delete from offchain.cred_history_next n using offchain.cred_correction k
    where k.id > corrections_after and k.token_id = n.token_id;
  insert into offchain.cred_history_next
    select distinct on (h.token_id) h.* from offchain.cred_history h
    where h.id < bound and h.token_id in (select token_id from offchain.cred_correction where id > corrections_after)
    order by h.token_id desc, h.id desc;
  for part in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'offchain.cred_history'::regclass
      and (c.relname = 'cred_history_kept'
        or c.relname ~ '^cred_history_[0-9]+$' and substr(c.relname, 14)::int8 < bound >> 30)
  loop
    execute format('alter table offchain.cred_history detach partition offchain.%I', part);
    execute format('drop table offchain.%I', part);
    parts := parts + 1;
  end loop;
  alter table offchain.cred_history_next rename to cred_history_kept;
  execute format('alter table offchain.cred_history attach partition offchain.cred_history_kept
    for values from (minvalue) to (%s)', bound);
  delete from offchain.cred_history_period where number < bound >> 30;
  return parts;
end $$;

select offchain.cred_history_ahead();

-- The score of an agent's last point. A function keeps its plan, which is for all months, for the session.
create or replace function offchain.cred_last_score(agent int8) returns int2 language plpgsql stable as $$
begin
  return (select h.score from offchain.cred_history h where h.token_id = agent order by h.id desc limit 1);
end $$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Score history: readers by id miss no row
-- ---------------------------------------------------------------------------------------------------------------------

-- Corrections take their ids from the history's sequence, so that one cursor reads both.
alter table offchain.cred_correction alter column id set default nextval('offchain.cred_history_id_seq');

-- A sequence gives out ids before the rows are committed, and transactions commit in another order. A reader that asks
-- for "ids above 7" would miss id 6 if it commits later. So each writer first takes a shared advisory lock whose key
-- holds the last id given out so far; all its rows have greater ids. Its commit or rollback releases the lock.
-- db/cred/cred-updates.ts reads the locks and stops below the lowest one. 4411972 is `credHistory` in db/sql/locks.ts; the id is in the low 40 bits.
create or replace function offchain.cred_history_announce() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared((4411972::int8 << 40) + last_value - (not is_called)::int4)
    from offchain.cred_history_id_seq;
  return null;
end $$;

create or replace trigger cred_history_announce before insert on offchain.cred_history
  for each statement execute function offchain.cred_history_announce();

create or replace trigger cred_correction_announce before insert on offchain.cred_correction
  for each statement execute function offchain.cred_history_announce();

-- Deleted points of the history leave a correction for each agent: readers then read the agent's present score.
create or replace function offchain.cred_history_correct() returns trigger language plpgsql as $$
begin
  insert into offchain.cred_correction (token_id) select distinct token_id from deleted;
  return null;
end $$;

create or replace trigger cred_history_correct after delete on offchain.cred_history
  referencing old table as deleted for each statement execute function offchain.cred_history_correct();

-- ---------------------------------------------------------------------------------------------------------------------
-- Scores: the transaction that changed each
-- ---------------------------------------------------------------------------------------------------------------------

-- Readers follow changes of scores by `changed_xid`. A row that is written with the same score keeps its value. The
-- statements of db/cred/cred-statement.ts set it themselves; for any other writer the trigger does.
create or replace function offchain.cred_mark_change() returns trigger language plpgsql as $$
begin
  new.changed_xid := pg_current_xact_id();
  return new;
end $$;

create or replace trigger cred_mark_change before update on offchain.cred
  for each row when (old.score is distinct from new.score and old.changed_xid = new.changed_xid) execute function offchain.cred_mark_change();

-- The directory shows the score of `cred` from the same commit on, for every writer of `cred`. Rows are locked in the
-- order of their ids, as every writer of many directory rows does; another order could deadlock.
create or replace function offchain.directory_follow_cred() returns trigger language plpgsql as $$
begin
  perform from "offchain"."directory" d join scored n on d.agent_id = n.token_id::text
    where d.platform = 'helixa' and d.cred_score <> n.score order by d.id for no key update of d;
  if found then
    -- Until the end of the update, for `directory_follow_rows`.
    perform set_config('offchain.only_scores', 'on', true);
    update "offchain"."directory" d set cred_score = n.score from scored n
      where d.platform = 'helixa' and d.agent_id = n.token_id::text and d.cred_score <> n.score;
    perform set_config('offchain.only_scores', '', true);
  end if;
  return null;
end $$;

create or replace trigger directory_follow_new_cred after insert on offchain.cred
  referencing new table as scored for each statement execute function offchain.directory_follow_cred();

create or replace trigger directory_follow_cred after update on offchain.cred
  referencing new table as scored for each statement execute function offchain.directory_follow_cred();

-- ---------------------------------------------------------------------------------------------------------------------
-- Directory: what follows from a row
-- ---------------------------------------------------------------------------------------------------------------------

-- Writers leave out rows that would stay as they are, so every update is a change.
create or replace function offchain.directory_mark_change() returns trigger language plpgsql as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end $$;

create or replace trigger directory_mark_change before update on offchain.directory
  for each row execute function offchain.directory_mark_change();

-- Copies the score of new and changed rows into `directory_score` (null for removed ones), which holds the indexes that
-- lists are sorted by. `changed_xid` changes with every change of the row: readers follow the directory by it. `row_xid`
-- stays where only the score changes, so that readers need not read the rest of the row.
create or replace function offchain.directory_follow_rows() returns trigger language plpgsql as $$
declare
  only_scores constant boolean := coalesce(current_setting('offchain.only_scores', true), '') = 'on';
begin
  insert into "offchain"."directory_score" (id, cred_score, changed_xid, row_xid)
    select id, case when removed_at is null then cred_score end, pg_current_xact_id(), pg_current_xact_id() from changed order by id
    on conflict (id) do update set cred_score = excluded.cred_score, changed_xid = excluded.changed_xid,
      row_xid = case when only_scores then "directory_score".row_xid else excluded.row_xid end;
  return null;
end $$;

create or replace trigger directory_follow_new_rows after insert on offchain.directory
  referencing new table as changed for each statement execute function offchain.directory_follow_rows();

create or replace trigger directory_follow_rows after update on offchain.directory
  referencing new table as changed for each statement execute function offchain.directory_follow_rows();

-- Announces changes, once for each transaction, to those who follow the table.
create or replace function offchain.announce_change() returns trigger language plpgsql as $$
begin
  if exists (select from changed) then perform pg_notify(tg_argv[0], ''); end if;
  return null;
end $$;

create or replace trigger directory_announce_new after insert on offchain.directory_score
  referencing new table as changed for each statement execute function offchain.announce_change('directory');
create or replace trigger directory_announce after update on offchain.directory_score
  referencing new table as changed for each statement execute function offchain.announce_change('directory');

-- The sequencer of the event log follows the points of the scores' histories.
create or replace trigger cred_history_notify after insert on offchain.cred_history
  referencing new table as changed for each statement execute function offchain.announce_change('event_notes');
create or replace trigger cred_correction_notify after insert on offchain.cred_correction
  referencing new table as changed for each statement execute function offchain.announce_change('event_notes');

-- Deleted rows stay in `directory_score` without a score, so that readers learn that they are gone.
create or replace function offchain.directory_forget_rows() returns trigger language plpgsql as $$
begin
  update "offchain"."directory_score" s
    set cred_score = null, changed_xid = pg_current_xact_id(), row_xid = pg_current_xact_id()
    from gone where s.id = gone.id;
  return null;
end $$;

create or replace trigger directory_forget_rows after delete on offchain.directory
  referencing old table as gone for each statement execute function offchain.directory_forget_rows();

-- Keeps `directory_alias`, the proven wallets of rows: a wallet is there while its row is shown and its registry proves
-- the wallet, and exactly as that row has it. No other row decides whose wallet it is.
create or replace function offchain.directory_follow_wallet() returns trigger language plpgsql as $$
begin
  if new.wallet_proven and new.address is not null and new.removed_at is null then
    insert into "offchain"."directory_alias" (directory_id, wallet) values (new.id, new.address)
      on conflict (directory_id) do update set wallet = excluded.wallet;
  else
    delete from "offchain"."directory_alias" where directory_id = new.id;
  end if;
  return null;
end $$;

create or replace trigger directory_new_wallet after insert on offchain.directory
  for each row when (new.wallet_proven) execute function offchain.directory_follow_wallet();

create or replace trigger directory_other_wallet after update on offchain.directory for each row
  when ((old.wallet_proven, old.address, old.removed_at) is distinct from (new.wallet_proven, new.address, new.removed_at))
  execute function offchain.directory_follow_wallet();

-- ---------------------------------------------------------------------------------------------------------------------
-- Directory: planes of bits (db/directory/planes/)
-- ---------------------------------------------------------------------------------------------------------------------

-- A plane is read as a whole: decompressing it would take longer than all else.
alter table offchain.directory_plane alter column bits set storage external;
alter table offchain.directory_slot set (fillfactor = 85);

-- A plane of all segments; an absent one is all zero. The plane `zero` is in segment 0 only.
create or replace function offchain.directory_bits(wanted text) returns varbit language plpgsql stable parallel safe as $$
declare
  whole varbit;
  part varbit;
  zero varbit;
  last int4;
begin
  select segments - 1 into last from offchain.directory_image;
  for i in 0 .. last loop
    select bits into part from offchain.directory_plane where plane = wanted and segment = i;
    if part is null then
      if zero is null then
        select bits into zero from offchain.directory_plane where plane = 'zero' and segment = 0;
      end if;
      part := zero;
    end if;
    whole := case when whole is null then part else whole || part end;
  end loop;
  return whole;
end $$;

-- The numbers of the bits that are set, from 0: each ends a run of zeros.
create or replace function offchain.bit_places(bits varbit) returns setof int4 language sql immutable parallel safe as $$
  select (sum(octet_length(zeros) + 1) over (order by n) - 1)::int4
  from string_to_table(bits::text, '1') with ordinality runs(zeros, n)
  order by n limit bit_count(bits)
$$;

-- As many bits as `like_these` has, a multiple of 1024, of which those at the places are set.
create or replace function offchain.bits_at(places int4[], like_these varbit) returns varbit language plpgsql immutable parallel safe as $$
declare
  whole varbit := like_these # like_these;
begin
  -- Each bit that is set alone costs a copy of the whole.
  if cardinality(places) > 100 then
    -- In words of 64 bits, as hexadecimal digits, with the zeros between them.
    select ('x' || string_agg(repeat('0', (word - former - 1) * 16) || lpad(to_hex(ones), 16, '0'), '' order by word)
            || repeat('0', (length(like_these) / 64 - 1 - max(word)) * 16))::varbit into whole
      from (select word, ones, coalesce(lag(word) over (order by word), -1) as former
            from (select place >> 6 as word, bit_or(1::int8 << (63 - (place & 63))) as ones
                  from unnest(places) place group by 1) words) spaced;
  else
    for i in 1 .. cardinality(places) loop
      whole := set_bit(whole, places[i], 1);
    end loop;
  end if;
  return whole;
end $$;

-- The first `many` of the bits that are set, or (`ahead` false) all but these.
create or replace function offchain.bits_split(bits varbit, many int8, ahead bool) returns varbit language plpgsql immutable parallel safe as $$
declare
  none varbit := bits # bits;
  -- Fewer bits than `many` are set in the first `low`, and `missing` more behind them make it as many.
  low int4 := 0;
  high int4 := case when many > 0 then length(bits) else 0 end;
  missing int8 := many;
  middle int4;
  count int8;
begin
  while high - low > 1 loop
    middle := (low + high) / 2;
    count := bit_count(substring(bits from low + 1 for middle - low));
    if count < missing then
      missing := missing - count;
      low := middle;
    else
      high := middle;
    end if;
  end loop;
  return case when ahead then substring(bits from 1 for high) || substring(none from high + 1)
              else substring(none from 1 for high) || substring(bits from high + 1) end;
end $$;

-- Rows in the order of planes, of which the first decides first: of `matched`, those from the place `number` (from 0) on,
-- or (`behind` false) those up to it; with at most `spare` more, or with those that the planes cannot tell apart. `cut`
-- counts those that were left out ahead. The parameters are those of `directory_block`; the planes from `begun` on decide.
create or replace function offchain.directory_cut(matched varbit, planes text[], ones_first bool[], nullable bool, mixed bool,
  number int8, spare int4, begun int4, behind bool, out block varbit, out cut int8) language plpgsql stable parallel safe as $$
declare
  part varbit := matched;
  count int8 := bit_count(matched);
  plane varbit;
  ahead varbit;
  ones int8;
  count_ahead int8;
  is_one bool := true;
  i int4 := begun;
begin
  block := matched # matched;
  cut := 0;
  while i <= cardinality(planes) and count > spare loop
    plane := part & offchain.directory_bits(planes[i]);
    ones := bit_count(plane);
    is_one := ones > 0;
    if ones > 0 and ones < count then
      ahead := case when ones_first[i] then plane else part # plane end;
      count_ahead := case when ones_first[i] then ones else count - ones end;
      is_one := ones_first[i] = (number < count_ahead);
      if number < count_ahead then
        if behind then
          block := block | (part # ahead);
        end if;
        part := ahead;
        count := count_ahead;
      else
        if behind then
          cut := cut + count_ahead;
        else
          block := block | ahead;
        end if;
        number := number - count_ahead;
        part := part # ahead;
        count := count - count_ahead;
      end if;
    end if;
    -- Rows without a key have no bits in the planes of the key.
    i := case when i = 1 and nullable and not is_one then cardinality(planes) + 1 else i + 1 end;
  end loop;
  if count > spare and (is_one or not mixed) then
    if behind then
      cut := cut + number;
      part := offchain.bits_split(part, number, false);
    else
      part := offchain.bits_split(part, number + 1, true);
    end if;
  end if;
  block := block | part;
end $$;

-- Of the rows `matched`, those that stand at the places `first` to `last` (from 0), and some around them: at most `spare`
-- on either side, or those that the planes cannot tell apart. `before` counts the matched rows before them. The order is
-- that of `planes`, the first decides first; `ones_first` says which come first; equal rows are in the order of slots.
-- `nullable`: the first plane says which rows have a key at all, and those come first. `mixed`: the zeros of the last
-- plane are rows that the planes cannot tell apart.
create or replace function offchain.directory_block(matched varbit, planes text[], ones_first bool[], nullable bool, mixed bool,
  first int8, last int8, spare int4, out block varbit, out before int8) language plpgsql stable parallel safe as $$
declare
  part varbit := matched;
  count int8 := bit_count(matched);
  plane varbit;
  ahead varbit;
  ones int8;
  count_ahead int8;
  is_one bool := true;
  i int4 := 1;
  cut int8;
begin
  before := 0;
  last := least(last, count - 1);
  if first > last then
    -- Behind all rows.
    before := case when first >= count then count else 0 end;
    block := matched # matched;
    return;
  end if;
  -- As long as both ends are on one side of a plane.
  while i <= cardinality(planes) and count > spare loop
    plane := part & offchain.directory_bits(planes[i]);
    ones := bit_count(plane);
    is_one := ones > 0;
    if ones > 0 and ones < count then
      ahead := case when ones_first[i] then plane else part # plane end;
      count_ahead := case when ones_first[i] then ones else count - ones end;
      exit when first < count_ahead and last >= count_ahead;
      is_one := ones_first[i] = (first < count_ahead);
      if first < count_ahead then
        part := ahead;
        count := count_ahead;
      else
        before := before + count_ahead;
        first := first - count_ahead;
        last := last - count_ahead;
        part := part # ahead;
        count := count - count_ahead;
      end if;
    end if;
    i := case when i = 1 and nullable and not is_one then cardinality(planes) + 1 else i + 1 end;
  end loop;
  block := part;
  if count > spare and (is_one or not mixed or i <= cardinality(planes)) then
    select c.block, c.cut into block, cut
      from offchain.directory_cut(part, planes, ones_first, nullable, mixed, first, spare, i, true) c;
    before := before + cut;
    select c.block into block
      from offchain.directory_cut(block, planes, ones_first, nullable, mixed, last - cut, spare, i, false) c;
  end if;
end $$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Rows that every database begins with
-- ---------------------------------------------------------------------------------------------------------------------

-- The default message groups, listed in this order.
insert into offchain.message_group (group_id, topic, description, min_cred, is_public, is_default)
  select d.topic, d.topic, d.description, d.min_cred, d.is_public, true
  from (values
    (1, 'welcome', 'Say hello. Every agent may write here.', 0, true),
    (2, 'general', 'Anything that has no group of its own.', 0, true),
    (3, 'trading', 'Markets, tokens and strategies.', 26, true),
    (4, 'collabs', 'Agents looking for agents to work with.', 26, true),
    (5, 'security', 'Incidents, scams and vulnerabilities.', 51, true),
    (6, 'governance', 'How the service is run. Only members read it.', 76, false)
  ) d (place, topic, description, min_cred, is_public)
  where not exists (select from offchain.message_group g where g.group_id = d.topic)
  order by d.place;

-- Tables of one row each: the heads of the event log and of what webhooks have been given of it, how far the
-- directory was read for wallets, and how far the scores were compared with the facts.
insert into offchain.event_log default values on conflict do nothing;
insert into offchain.webhook_cursor default values on conflict do nothing;
insert into offchain.wallet_walk default values on conflict do nothing;
insert into offchain.cred_walk default values on conflict do nothing;
