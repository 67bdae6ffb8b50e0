// The identity of this machine in the home folder: a random id, created once, and the machine files that were
// verified. The id says nothing about the hardware and moves with the home folder.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Static, type TSchema, Type } from 'typebox';
import { Check } from 'typebox/value';
import { engineErrors } from '../../runtime/errors.ts';
import { createFile, privateFile, replaceFile } from '../../runtime/files/atomic-write.ts';
import { codeOf } from '../../runtime/files/error-code.ts';
import { idOf } from './key.ts';
import { MachineFile } from './machine-file.ts';

const Identity = Type.Object({ machine_id: Type.String({ pattern: '^[0-9a-f-]{36}$' }) });
/** Nothing beside what is signed: any process of this account can write here. */
const StoredMachineFile = Type.Object({ machine_file: MachineFile });

/** The id of this machine, made at the first call. Throws INVALID_CONFIG naming the file. */
export function machineId(folder: string, newId: () => string): string {
  const path = join(folder, 'id.json');
  try {
    const known = readAs(Identity, path);
    if (known) return known.machine_id;
    createFile(path, `${JSON.stringify({ machine_id: newId() })}\n`, privateFile);
    const made = readAs(Identity, path);
    if (made) return made.machine_id;
  } catch (error) {
    throw engineErrors.INVALID_CONFIG(
      `home: ${path} cannot be read or created (${reason(error)})`,
      {},
      error,
    );
  }
  throw engineErrors.INVALID_CONFIG(`home: ${path} was created but does not exist`);
}

export interface MachineFiles {
  /** Undefined when none is kept for the key. Throws when it cannot be read. */
  read(keyHash: string): MachineFile | undefined;
  keep(keyHash: string, machineFile: MachineFile): void;
  drop(keyHash: string): void;
}

/** One file a license key; a newer one takes the place of the older. */
export function machineFiles(folder: string): MachineFiles {
  const pathOf = (keyHash: string) => join(folder, `${idOf(keyHash)}.json`);
  return {
    read: (keyHash) => readAs(StoredMachineFile, pathOf(keyHash))?.machine_file,
    keep: (keyHash, machine_file) =>
      replaceFile(pathOf(keyHash), `${JSON.stringify({ machine_file }, null, 2)}\n`, privateFile),
    drop: (keyHash) => rmSync(pathOf(keyHash), { force: true }),
  };
}

/** Undefined when there is no such file. Throws when it is not what it should be. */
function readAs<S extends TSchema>(schema: S, path: string): Static<S> | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const value: unknown = JSON.parse(text);
  if (!Check(schema, value)) throw new TypeError(`${path} has unexpected contents`);
  return value;
}

function reason(error: unknown): string {
  return codeOf(error) || (error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message);
}
