// The key that signs machine files, as a person gives it: PEM, the path of a PEM file, or the 32 bytes as base64.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { engineErrors } from '../../runtime/errors.ts';
import { codeOf } from '../../runtime/files/error-code.ts';

/** Throws INVALID_CONFIG saying what is wrong; the text itself is not repeated. */
export function readPublicKey(setting: string): KeyObject {
  const text = setting.trim();
  if (isPem(text)) return fromPem(text.replaceAll('\\n', '\n'), 'the text');
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) {
    const x = Buffer.from(text, 'base64').toString('base64url');
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  }
  let file: string;
  try {
    file = readFileSync(text, 'utf8');
  } catch (error) {
    const what = 'must be PEM, 32 bytes as base64, or the path of a readable PEM file';
    throw engineErrors.INVALID_CONFIG(`license_public_key: ${what} (${codeOf(error)})`, {}, error);
  }
  return fromPem(file, text);
}

function isPem(text: string): boolean {
  return text.includes('-----BEGIN ');
}

function fromPem(pem: string, where: string): KeyObject {
  if (!isPem(pem)) throw bad(`${where} is not PEM`);
  if (pem.includes('PRIVATE KEY')) throw bad(`${where} is a private key; use the public key`);
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch (error) {
    throw bad(`${where} is PEM but cannot be parsed`, error);
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw bad(`${where} is a key for ${key.asymmetricKeyType}, not Ed25519`);
  return key;
}

function bad(what: string, cause?: unknown) {
  return engineErrors.INVALID_CONFIG(`license_public_key: ${what}`, {}, cause);
}
