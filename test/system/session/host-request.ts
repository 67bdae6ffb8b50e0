// A request that names another host, which `fetch` does not let through.
import { request } from 'node:http';

export function hostRequest(address: string, host: string): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const input = request(`${address}/api/v1/health`, { headers: { Host: host }, agent: false }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('error', reject);
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, body: JSON.parse(Buffer.concat(pieces).toString()) }),
      );
    });
    input.on('error', reject);
    input.end();
  });
}
