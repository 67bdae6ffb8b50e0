// Where the page of a clustering lies in the home folder.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileName, saveFolder } from '../findings.ts';

/** Answers the path of the page. It takes the place of the one before. */
export async function saveSheet(home: string, job: string, text: string): Promise<string> {
  return join(await saveFolder(home, folderName(job), [['index.html', text]]), 'index.html');
}

/** Pictures of faces lie in the page: it goes when they are removed. */
export async function removeSheet(home: string, job: string): Promise<void> {
  await rm(join(home, 'found', folderName(job)), { recursive: true, force: true });
}

function folderName(job: string): string {
  // No search has a folder with a dot.
  return `faces.${fileName(job, 60)}`;
}
