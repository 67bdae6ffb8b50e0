-- Changes up to this one are in no log any more: who does not have them takes a snapshot.
alter table framehound.library add column cut bigint not null default 0;

-- Changes whose results are missing in the replica of the node.
alter table framehound.node add column missed bigint not null default 0;

-- Replicas in the shared folder.
create table framehound.snapshot (
  id uuid primary key default gen_random_uuid(),
  library uuid not null references framehound.library,
  node uuid not null,
  -- The last sign of life of the node that makes it.
  seen timestamptz not null default clock_timestamp(),
  -- A change that it has at least, and the digest of its manifest; null while it is made.
  seq bigint,
  digest text,
  damaged boolean not null default false
);
