// The address of a file as editing programs write it. Pure: it knows a path of Windows on any system.

/** `host`: the XMEML of editing programs says `localhost`, other formats leave it out. */
export function pathUrl(path: string, host: '' | 'localhost'): string {
  const isWindows = /^([A-Za-z]:[\\/]|\\\\)/.test(path);
  const parts = (isWindows ? path.replaceAll('\\', '/') : path).split('/').map(encoded);
  // A share: its server is the host.
  if (isWindows && path.startsWith('\\\\')) return `file:${parts.join('/')}`;
  return `file://${host}${isWindows ? '/' : ''}${parts.join('/')}`;
}

/** Everything but letters, digits and `-._~`, so that no reader takes it for something of its own. */
function encoded(part: string): string {
  return encodeURIComponent(part.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
