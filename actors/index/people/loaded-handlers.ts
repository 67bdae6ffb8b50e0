// What the index answers about people in memory.
import type { Handlers } from '../../../runtime/actor.ts';
import type { Contract } from '../../../runtime/contract.ts';
import type { Folders } from '../folders.ts';
import type { peopleMessages } from './contract.ts';
import type { PeopleIndex } from './people-index.ts';

export interface PeopleSearchParts {
  readonly folders: Folders;
  readonly people: PeopleIndex;
}

type PeopleContract = Contract<typeof peopleMessages>;

export function peopleSearchHandlers({
  folders,
  people,
}: PeopleSearchParts): Pick<Handlers<PeopleContract>, 'load_people'> {
  return {
    load_people: ({ cache_dir, load = null }) => folders.with(cache_dir, (store) => people.load(store, load)),
  };
}
