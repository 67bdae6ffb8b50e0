// The sample library: films and stills that a new user can search at once. They lie beside this file, drawn
// by bench/samples/make.ts.
import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../runtime/files/atomic-write.ts';
import { makeFolder } from '../../runtime/files/folder.ts';

const media = new URL('./media/', import.meta.url);

/** Copies the samples that `folder` does not have as a whole; answers their names. `files`: only these. */
export async function copySamples(folder: string, files = readdirSync(media)): Promise<string[]> {
  makeFolder(folder);
  const copied: string[] = [];
  for (const file of files.toSorted()) {
    const [source, path] = [new URL(file, media), join(folder, file)];
    if (statSync(path, { throwIfNoEntry: false })?.size === statSync(source).size) continue;
    replaceFile(path, await readFile(source), { flush: false });
    copied.push(file);
  }
  return copied;
}
