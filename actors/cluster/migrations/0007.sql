-- What one node does for all of them, until it does not say any more that it does.
create table framehound.lease (
  library uuid not null references framehound.library,
  name text not null,
  -- The engine.
  holder uuid not null,
  until timestamptz not null,
  primary key (library, name)
);
