// Finds what on this machine may have an encoder, without opening it: a few files are looked at.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasNvidia } from '../../../../runtime/process/nvidia.mjs';
import type { Device } from './candidates.ts';

/** `root`: folder that the paths of the system lie in, for tests. The paths of devices are without it. */
export function findDevices(platform: string, root = '/'): Device[] {
  // Elsewhere only trying tells.
  if (platform !== 'linux') return [{ kind: 'system', path: null, facts: platform, vendor: null }];
  return [...nvidia(root), ...renderNodes(root)];
}

function nvidia(root: string): Device[] {
  if (!hasNvidia(root)) return [];
  const facts = textOf(join(root, 'proc/driver/nvidia/version')).split('\n')[0]!;
  return [{ kind: 'nvidia', path: null, facts, vendor: null }];
}

function renderNodes(root: string): Device[] {
  return namesIn(join(root, 'dev/dri'))
    .filter((name) => /^renderD\d+$/.test(name))
    .sort()
    .map((name): Device => {
      const about = (field: string) => textOf(join(root, 'sys/class/drm', name, 'device', field));
      const [vendor, device] = [about('vendor'), about('device')];
      const number = Number.parseInt(vendor, 16);
      return {
        kind: 'render',
        path: `/dev/dri/${name}`,
        facts: `${vendor} ${device} ${textOf(join(root, 'proc/sys/kernel/osrelease'))}`.trim(),
        vendor: Number.isNaN(number) ? null : number,
      };
    });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // Nothing is there.
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return ''; // Not every system tells it.
  }
}
