import assert from 'node:assert/strict';
import test from 'node:test';
import { contextErrors } from '../../../../actors/search/contract.ts';
import { createTranscriptData } from '../../../../actors/search/loaded-data.ts';

type Index = Parameters<typeof createTranscriptData>[0];

test('transcripts are loaded step by step until the index is done', async () => {
  let steps = 0;
  const ask = async () => ({ done: ++steps === 3, media: steps, segments: 0, unreadable: [] });
  const data = createTranscriptData({ ask } as unknown as Index);
  assert.equal((await data.load({ cache_dir: '/mine' })).media, 3);
  assert.deepEqual(data.current, { cache_dir: '/mine' });
});

test('a load stops between two steps when another folder is asked for', async () => {
  const asked: string[] = [];
  const ask = async (_: string, { cache_dir }: { cache_dir: string }) => {
    asked.push(cache_dir);
    return { done: cache_dir === '/other', media: 1, segments: 0, unreadable: [] };
  };
  const data = createTranscriptData({ ask } as unknown as Index);
  const superseded = assert.rejects(data.load({ cache_dir: '/mine' }), contextErrors.CONTEXT_CHANGED.is);
  await data.load({ cache_dir: '/other' });
  await superseded;
  assert.deepEqual(asked, ['/mine', '/other']);
  assert.deepEqual(data.current, { cache_dir: '/other' });
});
