// The people that are loaded for searching: the face clusterings of one folder.
import type { Ref } from '../../runtime/ref.ts';
import type { indexContract } from '../index/contract.ts';
import type { PeopleLoadReport } from '../index/people/contract.ts';
import { storeErrors } from '../index/store/contract.ts';
import { now } from './call-options.ts';
import { contextErrors } from './contract.ts';
import { loadInSteps } from './load-in-steps.ts';
import { type DataKind, LoadedData, type LoadKey } from './loaded-data.ts';

export type PeopleData = LoadedData<LoadKey, PeopleLoadReport>;

export function createPeopleData(index: Ref<typeof indexContract>, changed?: () => void): PeopleData {
  const kind: DataKind<LoadKey, PeopleLoadReport> = {
    same: (a, b) => a.cache_dir === b.cache_dir,
    load: ({ cache_dir }, throwIfSuperseded, signal) =>
      loadInSteps((load) => index.ask('load_people', { cache_dir, load }, now(signal)), throwIfSuperseded),
    open: ({ cache_dir }, was_there, signal) => index.ask('open', { cache_dir, was_there }, now(signal)),
    superseded: ({ cache_dir }) =>
      contextErrors.CONTEXT_CHANGED(`${cache_dir}: the people of another folder are being loaded`),
    notLoaded: ({ cache_dir }) =>
      storeErrors.NOT_LOADED(
        `The people of ${cache_dir} are not loaded; load them first (POST /analysis-data/load)`,
        { field: 'people_filter' },
      ),
  };
  return new LoadedData(kind, changed);
}
