// Under which licence a build of FFmpeg may be passed on, as its configure script decides it.
// Source: FFmpeg's LICENSE.md and configure, and https://ffmpeg.org/legal.html.

/** Parts that lawyers ask for by name. */
const request = { libx264: 'x264', libx265: 'x265', 'libfdk-aac': 'fdk-aac' } as const;

/** `configuration`: what the build was configured with. `GPL version 3 or later, with x264 and x265`. */
export function buildLicense(configuration: string): string {
  const has = (option: string) => new RegExp(`(^|\\s)--enable-${option}(\\s|$)`).test(configuration);
  const parts = Object.entries(request).flatMap(([option, name]) => (has(option) ? [name] : []));
  const license = has('nonfree')
    ? 'nonfree: must not be passed on'
    : has('gpl')
      ? `GPL version ${has('version3') ? '3' : '2'} or later`
      : `LGPL version ${has('version3') ? '3' : '2.1'} or later`;
  return parts.length === 0 ? license : `${license}, with ${parts.join(', ')}`;
}
