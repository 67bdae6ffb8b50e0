// Writes the clip of this name to a path, in a process of its own: `make-clip.ts NAME PATH`.
import { clips } from './clips.ts';

const [name = '', path = ''] = process.argv.slice(2);
const clip = clips.find((clip) => clip.name === name);
if (!clip) throw new Error(`No clip is named ${name}`);
await clip.write(path);
