import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { expectOutput, saveAt } from '../../../actors/exporter/output-path.ts';
import { expectAbove } from '../../../runtime/files/save-new.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const folder = temporaryFolder();
const refuse = (what: string) => new Error(what);

test('a folder above what is written is there, or is asked for', async () => {
  const output_path = join(folder, 'missing', 'cut.xml');
  await assert.rejects(expectOutput({ output_path }, refuse), {
    message: `${output_path} cannot be written: the folder ${join(folder, 'missing')} does not exist; set create_folders to create it`,
  });
  await assert.rejects(expectOutput({ output_path, create_folders: false }, refuse));
  assert.equal(existsSync(join(folder, 'missing')), false);
  await expectOutput({ output_path, create_folders: true }, refuse);
  assert.equal(await saveAt(output_path, Buffer.from('cut'), refuse), output_path);
  assert.equal(readFileSync(output_path, 'utf8'), 'cut');
  await expectOutput({ output_path }, refuse);
  await expectOutput({}, refuse);
});

test('a folder that is written into may itself be missing, but not the one above it', async () => {
  await expectAbove(join(folder, 'clips'), false, refuse);
  await assert.rejects(
    expectAbove(join(folder, 'no', 'clips'), false, refuse),
    /the folder .*no does not exist; set create_folders/,
  );
});

test('a folder is no file to write', async () => {
  mkdirSync(join(folder, 'there'));
  await assert.rejects(
    expectOutput({ output_path: join(folder, 'there') }, refuse),
    /is a folder; it must name the file/,
  );
});

test('why a file cannot be written is told in words, with its path once', async () => {
  writeFileSync(join(folder, 'file'), '');
  const below = join(folder, 'file', 'cut.xml');
  await assert.rejects(saveAt(below, Buffer.of(), refuse), {
    message: `${below} cannot be written: not a directory`,
  });
});
