// A process of its own that issues keys: prints the id of each.
import { randomBytes } from 'node:crypto';
import { issueKey, KEY_BYTES } from '../../../http/license/store.ts';

const [folder = '', count = '0'] = process.argv.slice(2);
for (let i = 0; i < Number(count); i++) {
  const request = { tier: 'pro', name: `${process.pid}`, days: null } as const;
  const { issued } = issueKey(folder, request, randomBytes(KEY_BYTES), Date.now());
  process.stdout.write(`${issued.id}\n`);
}
