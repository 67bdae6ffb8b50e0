// The cost of a small request: a JSON POST with its license check and validation, against a bare uWebSockets
// handler that reads and writes the same JSON, and against Fastify with schemas for body and answer. Servers
// and clients are processes of their own. Where the clients are slower than the server, requests a second say
// nothing about it; so what counts is requests for each second of processor time of the server.
import type { ChildProcess } from 'node:child_process';
import { ask, messageOf, startChild } from './child.ts';
import type { Answered, Load } from './http-load.ts';
import type { Side } from './http-server.ts';
import { median, type Question, type Row } from './row.ts';
import { sized } from './size.ts';

const CONNECTIONS = 50;
const ROUNDS = Number(process.env['FRAMEHOUND_BENCH_ROUNDS'] ?? sized(7, 1));
const ROUND_MS = sized(2000, 200);
const names = ['ours', 'bare', 'fastify'] as const;
type Name = (typeof names)[number];

interface Speed {
  readonly perSecond: number;
  readonly perProcessorSecond: number;
}

const body = JSON.stringify({
  cache_dir: '/footage/.framehound',
  query: 'a red car in the rain at night',
  text_weight: 0.75,
  media_paths: ['/footage/2024/morning.mp4'],
});

/** The same request for all, also where no key is needed. */
function requestTo({ path, port }: Side, key: string): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    `X-License-Key: ${key}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

export const http: Question = async (say) => {
  const clients = startChild('./http-load.ts');
  const servers = names.map((name) => ({ name, child: startChild('./http-server.ts', name) }));
  const sides = await Promise.all(
    servers.map(async ({ name, child }) => ({ name, child, side: await messageOf<Side>(child) })),
  );
  const { key } = sides.find(({ name }) => name === 'ours')!.side;
  const bodies = new Set<string>();
  const measure = async (child: ChildProcess, side: Side): Promise<Speed> => {
    const load: Load = {
      port: side.port,
      request: requestTo(side, key),
      connections: CONNECTIONS,
      milliseconds: ROUND_MS,
    };
    const before = await ask<number>(child, {});
    const { answered, seconds, body: text } = await ask<Answered>(clients, load);
    bodies.add(text);
    const used = (await ask<number>(child, {})) - before;
    return { perSecond: answered / seconds, perProcessorSecond: answered / used };
  };
  say(`${ROUNDS} rounds of ${ROUND_MS / 1000} s, ${CONNECTIONS} connections`);
  const speeds: Record<Name, Speed[]> = { ours: [], bare: [], fastify: [] };
  // The first round warms up and does not count.
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { name, child, side } of sides) {
      const speed = await measure(child, side);
      if (round > 0) speeds[name].push(speed);
    }
  }
  for (const child of [clients, ...servers.map((server) => server.child)]) child.disconnect();
  if (bodies.size !== 1) throw new Error(`the servers do not answer the same: ${[...bodies].join(' ')}`);
  return rowsOf(speeds);
};

function rowsOf(speeds: Readonly<Record<Name, readonly Speed[]>>): Row[] {
  const peers = { bare: 'bare uWebSockets', fastify: 'Fastify' } as const;
  const least = { bare: 0.8, fastify: 1.5 } as const;
  const row = (peer: 'bare' | 'fastify', of: keyof Speed): Row => {
    const middle = (name: Name) => median(speeds[name].map((speed) => speed[of]));
    const value = middle('ours');
    const against = { name: peers[peer], value: middle(peer) };
    return {
      question: 'http',
      name: 'small JSON POST, license and checks',
      value,
      unit: of === 'perSecond' ? 'requests/s' : 'requests per processor second',
      against,
      ratio: value / against.value,
      goal: of === 'perSecond' ? null : { of: 'ratio', at: 'least', than: least[peer] },
    };
  };
  return [
    row('bare', 'perProcessorSecond'),
    row('fastify', 'perProcessorSecond'),
    row('bare', 'perSecond'),
    row('fastify', 'perSecond'),
  ];
}
