// `fetch` without a limit on how long a service may work before it answers. That of Node gives up after five minutes, and
// cutting a clip of a long film takes longer. It follows no redirects, which this service does not send.
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/** Ms of silence after which the system asks whether the other side is still there: one that is gone ends the call. */
const keepAlive = 30_000;

export type PatientFetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly signal?: AbortSignal;
  },
) => Promise<Response>;

/** Rejects as `fetch` does: with the reason of the signal, or a TypeError that has the error of the network as its cause. */
export const patientFetch: PatientFetch = (url, { method, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      reject(signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause: error }));
    };
    try {
      const request = url.startsWith('https:') ? requestHttps : requestHttp;
      const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
      // A connection of its own: one that was kept may be closed by the service just as it is used again.
      const options = { method, headers: { ...headers, ...length }, agent: false, ...(signal && { signal }) };
      const sent = request(url, options, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', fail);
        answer.on('end', () => {
          const { statusCode: status = 0, headersDistinct } = answer;
          const all = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
            values.map((value): [string, string] => [name, value]),
          );
          try {
            resolve(new Response(isEmpty(status) ? null : Buffer.concat(parts), { status, headers: all }));
          } catch (error) {
            fail(error); // A status that no service sends.
          }
        });
      });
      sent.setSocketKeepAlive(true, keepAlive);
      sent.on('error', fail);
      sent.end(body);
    } catch (error) {
      fail(error);
    }
  });

/** Answers that `Response` allows no body. */
const isEmpty = (status: number) => [204, 205, 304].includes(status);
