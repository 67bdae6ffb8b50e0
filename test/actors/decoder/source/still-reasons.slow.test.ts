import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { before, test } from 'node:test';
import sharp from 'sharp';
import { mediaErrors } from '../../../../actors/decoder/contract.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { askFrames, askMoments, askProbe } from '../ask-decoder.ts';

const endings = ['jpg', 'png', 'gif', 'webp', 'tif', 'avif'] as const;
const folder = temporaryFolder();
let broken: string[] = [];

before(async () => {
  const width = 96;
  const height = 64;
  const noise = Buffer.from(Array.from({ length: width * height * 3 }, (_, at) => (at * 7919) % 251));
  const picture = sharp(noise, { raw: { width, height, channels: 3 } });
  for (const ending of endings) {
    const whole = join(folder, `whole.${ending}`);
    await picture.clone().toFile(whole);
    const bytes = await readFile(whole);
    await rm(whole);
    for (const part of [0.08, 0.5, 0.9]) {
      await writeFile(join(folder, `cut-${part}.${ending}`), bytes.subarray(0, bytes.length * part));
    }
    const damaged = Uint8Array.from(bytes, (byte, at) => (at > 40 && at % 11 === 0 ? byte ^ 0xff : byte));
    await writeFile(join(folder, `damaged.${ending}`), damaged);
  }
  broken = endings.flatMap((ending) =>
    ['cut-0.08', 'cut-0.5', 'cut-0.9', 'damaged'].map((name) => join(folder, `${name}.${ending}`)),
  );
});

const asks = {
  probe: askProbe,
  frames: (path: string) => askFrames({ path }),
  moments: (path: string) => askMoments(path, [0]),
};

/** Reason for which each file is refused, by file and question; null when it is read. */
async function reasons(paths: readonly string[]): Promise<Map<string, string | null>> {
  const told = new Map<string, string | null>();
  for (const path of paths) {
    for (const [name, ask] of Object.entries(asks)) {
      const reason = await ask(path).then(
        () => null,
        (error) => {
          assert.ok(error.code in mediaErrors, `${path}: ${error.stack}`);
          return `${error.code} ${error.message}`;
        },
      );
      told.set(`${basename(path)} ${name}`, reason);
    }
  }
  return told;
}

test('a refused still has the same reason in any order, and it speaks of this file alone', async () => {
  const first = await reasons(broken);
  const backwards = await reasons(broken.toReversed());
  for (const [question, reason] of first) assert.equal(backwards.get(question), reason, question);
  const refused = [...first].filter(([, reason]) => reason !== null);
  assert.ok(refused.length > broken.length, 'most of the files are refused');
  for (const [question, reason] of refused) {
    const own = question.split(' ')[0]!;
    assert.match(reason!, new RegExp(`^[A-Z_]+ ${join(folder, own).replaceAll('.', '\\.')}: `), question);
    // Words of a library are never repeated: it keeps them from one file to the next.
    assert.doesNotMatch(reason!, /vips|libpng|gifload|bad seek|heif:|TIFFRead/i, question);
  }
});

test('pictures decoded side by side do not change each other’s reasons', async () => {
  const alone = await reasons(broken);
  const lanes = await Promise.all(
    endings.map((_, i) => reasons([...broken.slice(i), ...broken.slice(0, i)])),
  );
  for (const lane of lanes) assert.deepEqual([...lane].sort(), [...alone].sort());
});
