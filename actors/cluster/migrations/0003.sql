-- Jobs of a step are queued when those of the steps before have ended; `name`: of the clustering that a job makes.
alter table framehound.job add column step integer not null default 0;
alter table framehound.job add column name text;

-- When the latest run began.
alter table framehound.task add column started timestamptz not null default clock_timestamp();

-- Pictures that came with a request.
create table framehound.attachment (
  task uuid not null references framehound.task,
  number integer not null,
  bytes bytea not null,
  primary key (task, number)
);
