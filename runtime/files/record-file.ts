// A few records of one kind in one small file, which every process of a home folder reads again when it has
// changed. Changes are made under a lock, atomically and flushed. Only the owner can read it.
import { type Static, type TSchema, Type } from 'typebox';
import type { Clock } from '../clock.ts';
import { codeOf } from '../errors.ts';
import { privateFile } from './atomic-write.ts';
import type { HomeFiles } from './home-files.ts';
import { expectVersion, markOf, readJsonNow } from './json-file.ts';

const VERSION = 1;

interface RecordErrors {
  /** The error of a file that cannot be read; `what` names it. */
  damaged(what: string, path: string, cause: unknown): Error;
  unwritable(what: string, path: string, cause?: unknown): Error;
}

export class RecordFile<S extends TSchema> {
  readonly #path: string;
  readonly #schema;
  readonly #clock: Clock;
  readonly #errors: RecordErrors;
  readonly #files: HomeFiles;
  #last: { readonly mark: string; readonly records: readonly Static<S>[] } | null = null;

  constructor(path: string, schema: S, files: HomeFiles, clock: Clock, errors: RecordErrors) {
    this.#path = path;
    this.#files = files;
    this.#schema = Type.Object({ version: Type.Literal(VERSION), records: Type.Array(schema) });
    this.#clock = clock;
    this.#errors = errors;
  }

  /** Records on the disk; the same array while they do not change. */
  read(): readonly Static<S>[] {
    try {
      const mark = markOf(this.#path);
      if (this.#last?.mark !== mark) this.#last = { mark, records: this.#onDisk() };
      return this.#last.records;
    } catch (error) {
      throw this.#errors.damaged(`${this.#path} ${(error as Error).message}`, this.#path, error);
    }
  }

  /** `edit` is handed what is on the disk, and answers what is to be there. *Flushed* when answered. */
  change(edit: (now: readonly Static<S>[]) => readonly Static<S>[]): Promise<void> {
    const refused = (what: string, path: string, cause?: unknown) =>
      this.#errors.unwritable(what, path, cause);
    return this.#files.change(`${this.#path}.lock`, { clock: this.#clock, refused }, (files) => {
      const text = `${JSON.stringify({ version: VERSION, records: edit(this.read()) }, null, 2)}\n`;
      try {
        files.replace(this.#path, text, privateFile);
      } catch (error) {
        throw refused(`${this.#path} cannot be written (${codeOf(error)})`, this.#path, error);
      }
    });
  }

  #onDisk(): readonly Static<S>[] {
    const document = readJsonNow(this.#schema, this.#path, (value) => expectVersion(VERSION, value));
    return (document as { readonly records: readonly Static<S>[] } | undefined)?.records ?? [];
  }
}
