-- Small files of the home folder that all nodes have: license keys, sessions and the like. `name` is the path in
-- the folder; texts have paths by root.
create table framehound.home (
  library uuid not null references framehound.library,
  name text not null,
  -- The change that wrote it last.
  seq bigint not null,
  at timestamptz not null default clock_timestamp(),
  -- SHA-256 of the text, and the text; null where the file was removed.
  digest text,
  body text,
  primary key (library, name)
);
create index home_seq on framehound.home (library, seq);

-- The number of the last change; whoever changes a file locks this row.
create table framehound.home_change (
  library uuid primary key references framehound.library,
  seq bigint not null default 0
);
insert into framehound.home_change (library) select id from framehound.library;
