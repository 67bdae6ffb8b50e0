import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { mediaErrors } from '../../../../actors/decoder/contract.ts';
import type { FilmCaptions } from '../../../../bench/samples/writer/captions.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askProbe, askSubtitles, turnFor } from '../ask-decoder.ts';
import { stamped } from '../footage/clip.ts';

const folder = temporaryFolder();

const cues = [
  { startSeconds: 0.5, endSeconds: 1.25, text: 'Wer reitet so spät' },
  { startSeconds: 1.5, endSeconds: 2, text: '<i>durch Nacht</i>\nund Wind? 風' },
  { startSeconds: 3, endSeconds: 3.75, text: 'Es ist der Vater' },
];
const header = '[Script Info]\nScriptType: v4.00+\n\n[Events]\nFormat: Layer, Start, End, Style, Text';
const assCues = cues.map((cue, i) => ({
  ...cue,
  text: `${i},0,Default,,0,0,0,,${cue.text.replace('\n', '\\N')}`,
}));

const forms: readonly (FilmCaptions & { readonly ending: string })[] = [
  { ending: 'mp4', codec: 'mov_text', language: 'ger', cues },
  { ending: 'mov', codec: 'mov_text', language: 'ger', cues },
  { ending: 'mkv', codec: 'subrip', language: 'ger', cues },
  { ending: 'mkv', codec: 'ass', language: 'ger', cues: assCues, header },
  { ending: 'mkv', codec: 'webvtt', language: 'ger', cues },
];

async function film({ ending, ...captions }: (typeof forms)[number]): Promise<string> {
  const path = join(folder, `${captions.codec}.${ending}`);
  await stamped('captioned', { file: 'none', frames: 120, captions }).write(path);
  return path;
}

describe('the events of a text track', () => {
  for (const form of forms) {
    test(`${form.codec} in ${form.ending}`, async () => {
      const path = await film(form);
      const [track] = (await askProbe(path)).subtitles;
      assert.equal(track!.language, 'ger');
      const got = await askSubtitles(path, track!.index);
      assert.equal(got.codec, form.codec);
      assert.equal(got.header, form.header ?? null);
      assert.deepEqual(
        got.cues.map(({ text }) => text),
        form.cues.map(({ text }) => text),
      );
      for (const [i, { start_seconds, end_seconds }] of got.cues.entries()) {
        assert.ok(Math.abs(start_seconds - form.cues[i]!.startSeconds) < 0.002, `starts at ${start_seconds}`);
        assert.ok(Math.abs(end_seconds - form.cues[i]!.endSeconds) < 0.002, `ends at ${end_seconds}`);
      }
    });
  }
});

test('a track of bitmap subtitles is NO_SUBTITLES and named by its codec', async () => {
  const path = await film(forms[2]!);
  const bytes = await readFile(path);
  const at = bytes.indexOf('S_TEXT/UTF8');
  bytes.write('S_HDMV/PGS\0', at);
  const pictures = join(folder, 'pictures.mkv');
  await writeFile(pictures, bytes);
  const [track] = (await askProbe(pictures)).subtitles;
  assert.equal(track!.codec, 'hdmv_pgs_subtitle');
  await assert.rejects(askSubtitles(pictures, track!.index), (error: Error) => {
    assert.ok(mediaErrors.NO_SUBTITLES.is(error));
    assert.match(error.message, /pictures\.mkv.*hdmv_pgs_subtitle/);
    return true;
  });
});

test('a stream that is not there or no subtitle track is NO_SUBTITLES', async () => {
  const path = await film(forms[0]!);
  for (const index of [0, 7]) await assert.rejects(askSubtitles(path, index), mediaErrors.NO_SUBTITLES.is);
});

test('reading events can be cancelled', async () => {
  const path = await film(forms[2]!);
  const turn = turnFor();
  turn.cancel();
  await assert.rejects(askSubtitles(path, 1, turn), { code: 'CANCELLED' });
});
