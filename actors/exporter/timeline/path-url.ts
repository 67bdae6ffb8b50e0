// The address of a file as editing programs write it. Pure: it knows a path of Windows on any system.

/** `host`: the XMEML of editing programs says `localhost`, other formats leave it out. */
export function pathUrl(given: string, host: '' | 'localhost'): string {
  const path = withoutPrefix(given);
  const isWindows = /^([A-Za-z]:[\\/]|\\\\)/.test(path);
  const parts = (isWindows ? path.replaceAll('\\', '/') : path).split('/').map(encoded);
  // A share: its server is the host.
  if (isWindows && path.startsWith('\\\\')) return `file:${parts.join('/')}`;
  return `file://${host}${isWindows ? '/' : ''}${parts.join('/')}`;
}

/** Windows has a second form of long paths: `\\?\C:\a` is `C:\a`, and `\\?\UNC\nas\a` is `\\nas\a`. */
function withoutPrefix(path: string): string {
  return path.replace(/^\\\\[?.]\\UNC\\/i, '\\\\').replace(/^\\\\[?.]\\(?=[A-Za-z]:)/, '');
}

/** Everything but letters, digits and `-._~`, so that no reader takes it for something of its own. */
function encoded(part: string): string {
  return encodeURIComponent(part.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
