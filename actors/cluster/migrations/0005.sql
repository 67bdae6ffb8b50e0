-- By which nodes that ask each other know that they are nodes.
alter table framehound.library add column secret text not null
  default gen_random_uuid()::text || gen_random_uuid()::text;

-- The part of the library whose vectors a node has in memory, such as 2/5, and where other nodes ask for it; null
-- for a node that has all of them and answers by itself.
alter table framehound.node add column hold text;
alter table framehound.node add column address text;
