import assert from 'node:assert/strict';
import test from 'node:test';
import type { SpeakerData } from '../../../actors/search/transcripts/contract.ts';
import { MOST_TRANSCRIPT_CHARACTERS, withPreviews } from '../../../http/request/response.ts';
import { searchRoutes } from '../../../http/routes/search.ts';
import { transcriptionRoutes } from '../../../http/routes/transcriptions.ts';
import { inject } from '../inject.ts';

test('the first matches have their previews, the others an empty text, and they are counted', () => {
  const images = ['aaaa', undefined, 'bbb', 'cccc', 'd', ''];
  const { matches, leftOut } = withPreviews(
    images.map((image) => (image === undefined ? {} : { image })),
    8,
  );
  assert.deepEqual(
    matches.map(({ image }) => image),
    ['aaaa', '', 'bbb', '', '', ''],
  );
  assert.equal(leftOut, 2);
  assert.equal(withPreviews([{ image: 'aa' }, { image: 'bb' }], 4).leftOut, 0);
});

test('a search whose previews no answer can hold is answered with those that fit, and says how to get the rest', async () => {
  // One text stands for all: only an answer would repeat it.
  const image = 'A'.repeat(200 * 1024 * 1024);
  const match = {
    frame_idx: '0',
    timestamp: '00:00:00',
    image,
    scene_start_timestamp: '00:00:00',
    scene_end_timestamp: '00:00:00',
    original_index: 0,
    hash_str: 'aa',
    video_path: '/a.mp4',
  };
  const text = async () => ({ matches: [match, match, match], toast_warning: 'Mind this.' });
  const { handle } = searchRoutes[0]!;
  const body = { query: 'a', cache_dir: '/c', media_paths: [], people_filter: [], exclude: [] };
  const input = { body: { ...body, segments_to_frame_indices: {} }, signal: new AbortController().signal };
  const answer = await handle(input as never, { search: { text } } as never);
  const { matches, toast_warning } = answer.body as {
    matches: { image: string }[];
    toast_warning: string;
  };
  assert.deepEqual(
    matches.map((one) => one.image.length),
    [image.length, 0, 0],
  );
  assert.match(toast_warning, /^Mind this\. 2 previews do not fit .*max_results.*POST \/thumbnails/);
});

/** A library of which every file is said to have this text, in this many segments. */
function library(text: string, count: number) {
  const asked: number[] = [];
  const list = async ({ media_paths }: { media_paths: readonly string[] }) => {
    asked.push(media_paths.length);
    const of = (path: string) => Array.from({ length: count }, () => [0, text, 1, path] as const);
    return {
      transcriptions: Object.fromEntries(media_paths.map((path) => [path, of(path)])),
      transcription_data: Object.fromEntries(
        media_paths
          .filter((path) => path.startsWith('/spoken'))
          .map((path) => [
            path,
            { segments: of(path), hash_str: path, speakers: {} } as unknown as SpeakerData,
          ]),
      ),
      transcription_languages: {},
    };
  };
  const call = inject(transcriptionRoutes, { search: { transcripts: { list } } } as never);
  const ask = async (media_paths: readonly string[]) =>
    call('/api/v1/transcriptions', { cache_dir: '/c', media_paths });
  return { ask, asked };
}

interface Page {
  readonly transcriptions: Record<string, unknown>;
  readonly transcription_data: Record<string, unknown>;
  readonly remaining_media_paths?: string[];
}

test('transcriptions that no answer can hold come in pages, and each page says what is left', async () => {
  const { ask } = library('x'.repeat(MOST_TRANSCRIPT_CHARACTERS / 8), 1);
  const paths = ['/a', '/b', '/spoken', ...Array.from({ length: 7 }, (_, i) => `/${i}`)];
  const first = (await ask(paths)).body as Page;
  // One with speakers is there twice.
  assert.deepEqual(Object.keys(first.transcriptions).sort(), [...paths.slice(0, 6)].sort());
  assert.deepEqual(Object.keys(first.transcription_data), ['/spoken']);
  assert.deepEqual(first.remaining_media_paths, paths.slice(6));
  const second = (await ask(first.remaining_media_paths)).body as Page;
  assert.equal(Object.keys(second.transcriptions).length, 4);
  assert.equal(second.remaining_media_paths, undefined);
});

test('a transcription that is too large alone is 413 and names the route with pages', async () => {
  const { ask } = library('x'.repeat(MOST_TRANSCRIPT_CHARACTERS), 1);
  const { status, body } = await ask(['/a']);
  assert.equal(status, 413);
  assert.match((body as { message: string }).message, /^\/a: .*\/transcriptions\/range/);
});

test('many files are read a part at a time', async () => {
  const { ask, asked } = library('short', 2);
  const paths = Array.from({ length: 600 }, (_, i) => `/${i}`);
  const { body } = await ask(paths);
  assert.equal(Object.keys((body as Page).transcriptions).length, 600);
  assert.deepEqual(asked, [256, 256, 88]);
  await ask([]);
  assert.equal(asked.at(-1), 0);
});
