-- Which change was the last to speak of a content, and by which path; empty where it was forgotten.
create table framehound.content (
  library uuid not null references framehound.library,
  hash text not null,
  path text not null,
  seq bigint not null,
  primary key (library, hash)
);
