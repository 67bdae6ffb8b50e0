// The license key as programs send it that know no header of ours: `Authorization: Bearer KEY`.

/** Empty for another scheme: a browser may send Basic by itself. */
export function bearerOf(authorization: string): string {
  return /^bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1] ?? '';
}
