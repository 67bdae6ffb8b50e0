// What is wrong with a file that a field of a request names.
import { mediaErrors } from '../../actors/decoder/contract.ts';
import { EngineError, restated } from '../../runtime/errors.ts';

/** Errors about the file are said of the field. The request is wrong when there is no such file: 400, not 404. */
export async function atField<T>(field: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const ofFile = Object.values(mediaErrors).some((row) => row.is(error));
    if (!ofFile || !(error instanceof EngineError)) throw error;
    const status = error.status === 404 ? 400 : error.status;
    throw restated(error, { status, details: { ...error.details, field } });
  }
}
