// The collection a summary is put into: one that is there, by id or name, or a new one. Within a transaction.
import { engineErrors } from '../../../../runtime/errors.ts';
import { quoted } from '../../../../runtime/text.ts';
import { type CollectionChoice, summaryErrors } from '../../summaries/contract.ts';
import { plainName } from '../../summaries/fold-name.ts';
import type { Transaction } from '../environment.ts';
import { readable } from '../faults.ts';
import { SummaryCollectionRow, SummaryIdRow } from '../records.ts';
import { seal, unseal } from '../table.ts';
import { collectionKey, collectionNameKey, isSummaryId } from './rows.ts';
import { idAt } from './summary-removal.ts';

/**
 * One that is there keeps its name and description. UNKNOWN_COLLECTION for an id; INVALID_MESSAGE for a blank
 * name.
 */
export function collectionFor(
  writes: Transaction,
  choice: CollectionChoice,
  file: string,
  { made_ms, newId }: { readonly made_ms: number; readonly newId: () => string },
): string {
  if ('collection_id' in choice) {
    const { collection_id } = choice;
    if (isSummaryId(collection_id) && writes.get(collectionKey(collection_id)) !== undefined)
      return collection_id;
    throw summaryErrors.UNKNOWN_COLLECTION(`collection_id: there is no collection ${quoted(collection_id)}`, {
      field: 'collection_id',
    });
  }
  const name = plainName(choice.name);
  if (name === '') throw engineErrors.INVALID_MESSAGE('collection: the name is blank');
  const nameKey = collectionNameKey(name);
  const existingId = idAt(writes, nameKey, file);
  if (existingId !== null && isReadable(writes, existingId, file)) return existingId;
  // One that is damaged is written anew, and keeps its members.
  const id = existingId ?? newId();
  const key = collectionKey(id);
  writes.put(key, seal(SummaryCollectionRow, key, { name, description: choice.description, made_ms }));
  writes.put(nameKey, seal(SummaryIdRow, nameKey, { id }));
  return id;
}

function isReadable(writes: Transaction, id: string, file: string): boolean {
  const key = collectionKey(id);
  const bytes = writes.get(key);
  return bytes !== undefined && readable(() => unseal(SummaryCollectionRow, key, bytes, file)) !== null;
}
