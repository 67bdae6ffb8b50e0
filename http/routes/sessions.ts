// Signing in for a web page: a ticket, the session that it opens, and its end. And the settings, which the page shows.
import { Type } from 'typebox';
import { described, oneOf } from '../../runtime/schema.ts';
import { signInAddress } from '../page-address.ts';
import { AbsolutePath, absolute } from '../request/paths.ts';
import { ErrorBody, type Route, reply, route } from '../route.ts';

const tag = 'Sessions';

export const makeTicket = route({
  method: 'POST',
  path: '/api/v1/tickets',
  id: 'makeTicket',
  tag,
  summary: 'A ticket that opens one session',
  description:
    'For the address of the web page: its `url` signs a browser in, once, within a minute. The session stands for the license ' +
    'key that this request is sent with. A ticket is forgotten when the service ends.',
  body: Type.Object({
    cache_dir: Type.Optional(
      described(AbsolutePath, 'The analysis folder that the page begins with, in place of the default one.'),
    ),
  }),
  answers: {
    200: Type.Object({
      ticket: described(Type.String(), 'A secret, for /sessions.'),
      url: described(Type.String(), 'The page with the ticket, for a browser on the machine of the service.'),
      expires_at: described(Type.Number(), 'Unix time, seconds.'),
    }),
  },
  handle: ({ body, credential }, { access, pageAddress }) => {
    const folder = body.cache_dir === undefined ? null : absolute('cache_dir', body.cache_dir);
    const { ticket, expires } = access.makeTicket(credential, folder);
    const url = signInAddress(pageAddress(), ticket);
    return reply(200, { ticket, url, expires_at: expires / 1000 }, unstored);
  },
});

export const openSession = route({
  method: 'POST',
  path: '/api/v1/sessions',
  id: 'openSession',
  tag,
  summary: 'Swaps a ticket for the token of a session',
  description:
    'The token is sent as a license key is, in the header `X-License-Key`, and stands for the one by which the ticket was made: ' +
    'when that is revoked or expires, requests are refused. A session ends 12 hours after its last use, and outlives a restart ' +
    'of the service, unless it is `shared`. 401 for a ticket that does not exist, is used, or is too old, told alike.',
  access: 'open',
  body: Type.Object({ ticket: described(Type.String({ maxLength: 200 }), 'Of /tickets.') }),
  answers: {
    200: Type.Object({
      token: described(Type.String(), 'A secret, sent in place of a license key.'),
      expires_at: described(Type.Number(), 'When it ends unless it is used before, Unix time, seconds.'),
      shared: described(
        Type.Boolean(),
        'Whether a page may keep it for all tabs of its browser: it is that of the owner of a service that listens on a loopback ' +
          'address, and ends when that is stopped.',
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
  summary: 'Ends the session of this request',
  description: 'The one whose token the header `X-License-Key` holds.',
  access: 'open',
  answers: {
    200: Type.Object({ ended: described(Type.Boolean(), 'False when there was no such session.') }),
  },
  handle: ({ credential }, { access }) => reply(200, { ended: access.endSession(credential) }),
});

const SettingValue = Type.Unsafe<unknown>({});

export const getSettings = route({
  method: 'GET',
  path: '/api/v1/settings',
  id: 'getSettings',
  tag,
  summary: 'The settings of the service, and where each comes from',
  description:
    'As `framehound config` prints them. Of a secret one it is told whether it is set, never its value.',
  answers: {
    200: Type.Object({
      version: described(Type.String(), 'Of the program.'),
      cache_dir: described(
        Type.String(),
        'The analysis folder to begin with, absolute: that of the ticket of this session, else the default one.',
      ),
      settings: described(
        Type.Array(
          Type.Object({
            name: described(Type.String(), 'As in `config.json`.'),
            value: described(SettingValue, 'A text, a number, true or false, or a list of texts.'),
            source: described(
              oneOf('flag', 'environment', 'file', 'default'),
              'Where the value comes from; `file` is `config.json` in the home folder.',
            ),
            description: described(Type.String(), 'What it is for.'),
          }),
        ),
        'All there are.',
      ),
    }),
  },
  handle: ({ credential }, { settings, access }) =>
    reply(200, { ...settings, cache_dir: access.cacheDirOf(credential) ?? settings.cache_dir }),
});

/** Nothing between here and the page keeps a secret. */
const unstored = { 'Cache-Control': 'no-store' };

export const sessionRoutes: readonly Route[] = [makeTicket, openSession, closeSession, getSettings];
