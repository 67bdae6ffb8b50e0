// Where the pages of a clustering lie in the home folder.
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../../runtime/files/atomic-write.ts';
import { makeFolder } from '../../runtime/files/make-folder.ts';
import { fileName, forgetOldFindings } from '../findings.ts';

/** Answers the path of the page. It takes the place of the one before. */
export async function saveSheet(
  home: string,
  job: string,
  page: 'index.html' | 'cluster.html',
  text: string,
): Promise<string> {
  const folder = folderOf(home, job);
  makeFolder(folder);
  const path = join(folder, page);
  replaceFile(path, text, { flush: false });
  await forgetOldFindings(home);
  return path;
}

/** Pictures of faces lie in the pages: they go when the faces are removed. */
export async function removeSheet(home: string, job: string): Promise<void> {
  await rm(folderOf(home, job), { recursive: true, force: true });
}

/**
 * Clusterings whose names are alike in a file system have folders of their own: one of them may be removed.
 */
function folderOf(home: string, job: string): string {
  const short = fileName(job, 40);
  const plain = short === job && /^[a-z0-9-]*$/.test(job);
  const mark = plain ? '' : `.${createHash('sha256').update(job).digest('hex').slice(0, 8)}`;
  // No search has a folder with a dot.
  return join(home, 'found', `faces.${short}${mark}`);
}
