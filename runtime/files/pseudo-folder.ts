// Folders that the kernel makes up, as those of /proc, /sys and /dev are: nothing in them is a file that
// somebody put there.
import { statSync } from 'node:fs';
import { codeOf } from './error-code.ts';

/** `f_type` of Linux. Memory is left out: a person may keep films there. */
const kernelTypes = new Set([
  0x9fa0, // proc
  0x6265_6572, // sysfs
  0x1cd1, // devpts
  0x27_e0eb, // cgroup
  0x6367_7270, // cgroup2
  0x6462_6720, // debugfs
  0x7472_6163, // tracefs
  0x7363_6673, // securityfs
  0xf97c_ff8c, // selinuxfs
  0x6165_676c, // pstorefs
  0xcafe_4a11, // bpf
  0x6265_6570, // configfs
  0x6573_5543, // fusectl
  0x4249_4e4d, // binfmt_misc
  0x1980_0202, // mqueue
  0xde5e_81e4, // efivarfs
  0x6e73_6673, // nsfs
  0x6752_5f63, // rpc_pipefs
]);

/** `type`: what `statfs` says of the folder; `dev`: its device by `stat`. */
export function isPseudoFolder(type: number, dev: bigint): boolean {
  if (process.platform === 'linux' && kernelTypes.has(type >>> 0)) return true;
  // It has the type of memory, or one that differs between systems.
  return dev === deviceFolder();
}

/** Device of /dev; null where there is none, or it is no file system of its own. */
function deviceFolder(): bigint | null {
  if (process.platform === 'win32') return null;
  try {
    const [devices, root] = ['/dev', '/'].map((path) => statSync(path, { bigint: true }).dev);
    return devices === undefined || devices === root ? null : devices;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
