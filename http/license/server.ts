// One request to a license server over HTTP: bounded in time and size, and no redirects.
import type { Clock } from '../../runtime/clock.ts';

/** No answer, or not that of a license server. The message goes to the client, so it holds neither key nor body. */
export class ServerOutage extends Error {
  constructor(what: string, cause?: unknown) {
    super(`The license server cannot be reached${what}`, cause === undefined ? undefined : { cause });
    this.name = 'ServerOutage';
  }
}

export interface ServerReply {
  readonly status: number;
  readonly body: unknown;
}

const TIMEOUT_MS = 5_000;
const LARGEST_BYTES = 64 * 1024;

/** `stop` ends the question early. Throws ServerOutage, nothing else. */
export async function askServer(
  url: URL,
  question: unknown,
  clock: Clock,
  stop: AbortController,
): Promise<ServerReply> {
  const cancelTimeout = clock.after(TIMEOUT_MS, () =>
    stop.abort(`no response within ${TIMEOUT_MS / 1000} s`),
  );
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify(question),
      // A key is sent to no server but the one of the settings.
      redirect: 'manual',
      signal: stop.signal,
    });
    const { status } = response;
    if ((status >= 300 && status < 400) || status >= 500) {
      await response.body?.cancel();
      throw new ServerOutage(` (it returned status ${status})`);
    }
    return { status, body: parse(await readText(response)) };
  } catch (error) {
    if (error instanceof ServerOutage) throw error;
    throw new ServerOutage(` (${stop.signal.aborted ? String(stop.signal.reason) : codeOf(error)})`, error);
  } finally {
    cancelTimeout();
  }
}

async function readText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > LARGEST_BYTES)
      throw new ServerOutage(` (its response is larger than ${LARGEST_BYTES} bytes)`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The message of JSON.parse would quote the answer.
    throw new ServerOutage(' (its response is not JSON)');
  }
}

/** `fetch` puts what happened into the cause of its error. */
function codeOf(error: unknown): string {
  const { cause, name } = error as { cause?: { code?: unknown }; name?: string };
  return String(cause?.code ?? name ?? 'unknown error');
}
