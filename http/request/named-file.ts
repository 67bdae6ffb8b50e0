// What is wrong with a file that a field of a request names.
import { isMediaError } from '../../actors/decoder/contract.ts';
import { restated } from '../../runtime/errors.ts';

/**
 * Errors about the file are said of the field. The request is wrong when there is no such file: 400, not 404.
 */
export async function atField<T>(field: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isMediaError(error)) throw error;
    const status = error.status === 404 ? 400 : error.status;
    throw restated(error, { status, details: { ...error.details, field } });
  }
}
