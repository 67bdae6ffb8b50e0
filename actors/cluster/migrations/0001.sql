-- What engines of one cluster share. Times are those of the database.
create table framehound.library (
  id uuid primary key default gen_random_uuid(),
  -- The last change of its log; whoever adds one locks this row, so order of commit is order of log.
  seq bigint not null default 0
);
insert into framehound.library default values;

create table framehound.node (
  id uuid primary key,
  -- Another one whenever an engine starts: of two with the same id the later one counts.
  incarnation uuid not null,
  name text not null,
  version text not null,
  roles text[] not null,
  started timestamptz not null default clock_timestamp(),
  seen timestamptz not null default clock_timestamp(),
  -- Its clock minus that of the database, seconds.
  clock_seconds double precision not null,
  -- The last change of the log that its replica has.
  applied bigint not null,
  draining boolean not null default false,
  -- Files that it works on.
  working text[] not null default '{}'
);

create table framehound.change (
  library uuid not null references framehound.library,
  seq bigint not null,
  at timestamptz not null default clock_timestamp(),
  node uuid not null,
  body jsonb not null,
  primary key (library, seq)
);

create table framehound.task (
  id uuid primary key,
  library uuid not null references framehound.library,
  created timestamptz not null default clock_timestamp(),
  ended timestamptz,
  state text not null,
  source text not null,
  error jsonb,
  -- What was asked for; paths are by root here and below.
  request jsonb not null,
  -- The snapshot at its beginning.
  first jsonb not null,
  counts jsonb not null,
  -- By type of work: what is done of it, in its unit.
  amounts jsonb not null default '{}',
  results integer not null default 0
);
create index task_created on framehound.task (library, created desc);

-- Some files of a task, which one worker analyses; its id is that of the queue as well.
create table framehound.job (
  id uuid primary key,
  task uuid not null references framehound.task,
  paths jsonb not null,
  -- Higher goes first; tasks take turns by it.
  priority integer not null,
  ended boolean not null default false,
  -- Which attempt at the job ended it.
  attempt integer
);
create index job_task on framehound.job (task) where not ended;
create index job_priority on framehound.job (priority) where not ended;

create table framehound.result (
  task uuid not null references framehound.task,
  position integer not null,
  failed boolean not null,
  body jsonb not null,
  primary key (task, position)
);
