// Signing in for a web page: a ticket, the session that it opens, and its end. And the settings, which the
// page shows.
import { Type } from 'typebox';
import { signInAddress } from '../../runtime/origin.ts';
import { AbsolutePath } from '../../runtime/paths.ts';
import { described, oneOf } from '../../runtime/schema.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Sessions';

export const makeTicket = route({
  method: 'POST',
  path: '/api/v1/tickets',
  id: 'makeTicket',
  tag,
  summary: 'Create a ticket for a session',
  description:
    'A ticket signs one browser in to the web page: open its `url` once, within a minute. The session ' +
    'acts for the license key of this request. Tickets become invalid when the service stops.',
  body: Type.Object({
    cache_dir: Type.Optional(
      described(AbsolutePath, 'The analysis folder that the page opens, instead of the default one.'),
    ),
  }),
  answers: {
    200: Type.Object({
      ticket: described(Type.String(), 'The secret ticket to send to /sessions.'),
      url: described(
        Type.String(),
        'Address of the page with the ticket, for a browser on the machine of the service.',
      ),
      expires_at: described(Type.Number(), 'Unix time, seconds.'),
    }),
  },
  handle: ({ body, credential }, { access, pageAddress }) => {
    const { ticket, expires } = access.makeTicket(credential, body.cache_dir ?? null);
    const url = signInAddress(pageAddress(), ticket);
    return reply(200, { ticket, url, expires_at: expires / 1000 }, unstored);
  },
});

export const openSession = route({
  method: 'POST',
  path: '/api/v1/sessions',
  id: 'openSession',
  tag,
  summary: 'Exchange a ticket for a session token',
  description:
    'Send the token like a license key, in the header `X-License-Key`. It acts for the license key that ' +
    'the ticket was created with: if that key is revoked or expires, requests are refused. A session ' +
    'ends 12 hours after its last use, and remains valid when the service restarts, unless it is ' +
    '`shared`. Returns 401 if the ticket does not exist, has been used, or has expired.',
  access: 'open',
  body: Type.Object({ ticket: described(Type.String({ maxLength: 200 }), 'A ticket from /tickets.') }),
  answers: {
    200: Type.Object({
      token: described(Type.String(), 'The secret token to send instead of a license key.'),
      expires_at: described(
        Type.Number(),
        'When the session ends if it is not used again, as a Unix time in seconds.',
      ),
      shared: described(
        Type.Boolean(),
        'Whether a page may store the token for all tabs of its browser. That is so for the owner of a ' +
          'service that listens on a loopback address. Such a session ends when the service stays stopped ' +
          'for ten minutes.',
      ),
    }),
    401: ErrorBody,
  },
  handle: ({ body }, { access }) => {
    const { token, expires, shared } = access.openSession(body.ticket);
    return reply(200, { token, expires_at: expires / 1000, shared }, unstored);
  },
});

export const closeSession = route({
  method: 'DELETE',
  path: '/api/v1/sessions',
  id: 'closeSession',
  tag,
  summary: 'End the session of this request',
  description: 'Ends the session whose token is in the header `X-License-Key`.',
  access: 'open',
  answers: {
    200: Type.Object({ ended: described(Type.Boolean(), 'False if the session does not exist.') }),
  },
  handle: ({ credential }, { access }) => reply(200, { ended: access.endSession(credential) }),
});

const SettingValue = Type.Unsafe<unknown>({});

export const getSettings = route({
  method: 'GET',
  path: '/api/v1/settings',
  id: 'getSettings',
  tag,
  summary: 'Get the settings of the service and their sources',
  description:
    'Returns the settings like `framehound config`. For secret settings, the response says only whether ' +
    'they are set.',
  answers: {
    200: Type.Object({
      version: described(Type.String(), 'Version of the program.'),
      cache_dir: described(
        Type.String(),
        'Absolute path of the analysis folder to open first: the one of the ticket of this session, or the ' +
          'default one.',
      ),
      settings: described(
        Type.Array(
          Type.Object({
            name: described(Type.String(), 'Name of the setting, as in `config.json`.'),
            value: described(
              SettingValue,
              'Value of the setting: a string, a number, a boolean, or a list of strings.',
            ),
            source: described(
              oneOf('flag', 'environment', 'file', 'default'),
              'Source of the value; `file` is `config.json` in the home folder.',
            ),
            description: described(Type.String(), 'What the setting is for.'),
          }),
        ),
        'All settings.',
      ),
    }),
  },
  handle: ({ credential }, { settings, access }) =>
    reply(200, { ...settings, cache_dir: access.cacheDirOf(credential) ?? settings.cache_dir }),
});

/** Nothing between here and the page keeps a secret. */
const unstored = { 'Cache-Control': 'no-store' };

export const sessionRoutes: readonly Route[] = [makeTicket, openSession, closeSession, getSettings];
