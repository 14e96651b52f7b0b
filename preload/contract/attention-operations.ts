// The part of operations.ts that says when a person is asked: pause, quiet hours, mutes, and what
// is held. For people only.
import * as v from 'valibot';
import { QUIET_PERIODS_MAX } from './limits.ts';
import { shortText, timestamp, uuid, whole } from './parameters.ts';
import { TIME_OF_DAY } from './formats.ts';

/** The most hubs that may disturb a quiet hour. */
const URGENT_PEERS_MAX = 32;
/** The most requests named at once; all that can be held. */
const SHOWN_MAX = 50;

const timeOfDay = v.pipe(v.string(), v.regex(TIME_OF_DAY, 'a time of day is written like 21:30'));

const period = v.pipe(
  v.strictObject({
    name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(40)),
    from: timeOfDay,
    to: timeOfDay,
    days: v.pipe(
      v.array(whole(1, 7)),
      v.minLength(1, 'it needs a day on which it begins'),
      v.maxLength(7),
    ),
    on: v.optional(v.boolean(), true),
  }),
  v.check(({ from, to }) => from !== to, 'quiet hours end at another time than they begin'),
);

export const ATTENTION_OPERATIONS = {
  'attention.get': {
    summary: 'Shows the pause, the quiet hours and the mutes.',
    method: 'GET',
    path: '/v1/attention',
    access: 'owner',
    params: v.strictObject({}),
  },
  'attention.pause': {
    summary: 'Asks people nothing until a time, or until they resume.',
    method: 'POST',
    path: '/v1/pause',
    access: 'owner',
    /** null: until a person goes on. Tonight: the end of this day, by the clock of the hub. */
    params: v.strictObject({
      until: v.optional(
        v.nullable(v.union([timestamp, v.picklist(['in_an_hour', 'tonight'])])),
        null,
      ),
    }),
  },
  'attention.stop': {
    summary: 'Stops what runs here, declines what waits, and lets nothing in until they resume.',
    method: 'POST',
    path: '/v1/stop',
    access: 'owner',
    params: v.strictObject({}),
  },
  'attention.resume': {
    summary: 'Ends the pause, or lets requests in again.',
    method: 'POST',
    path: '/v1/resume',
    access: 'owner',
    params: v.strictObject({}),
  },
  'attention.setQuietHours': {
    summary: 'Sets the quiet hours, and the hubs that may disturb them.',
    method: 'PUT',
    path: '/v1/quiet-hours',
    access: 'owner',
    params: v.strictObject({
      periods: v.pipe(v.array(period), v.maxLength(QUIET_PERIODS_MAX)),
      /** By agent id or name; what is left out stays. */
      urgent_peers: v.optional(v.pipe(v.array(shortText), v.maxLength(URGENT_PEERS_MAX))),
    }),
  },
  'attention.mute': {
    summary: 'Mutes a hub until a time.',
    method: 'PUT',
    path: '/v1/peers/:id/mute',
    access: 'owner',
    params: v.strictObject({ id: shortText, until: timestamp }),
  },
  'attention.unmute': {
    summary: 'Ends the mute of a hub.',
    method: 'DELETE',
    path: '/v1/peers/:id/mute',
    access: 'owner',
    params: v.strictObject({ id: shortText }),
  },
  'attention.hold': {
    summary: 'Puts a request off until a time, unless its own time is over before.',
    method: 'POST',
    path: '/v1/approvals/:id/hold',
    access: 'owner',
    params: v.strictObject({ id: uuid, until: timestamp }),
  },
  'attention.show': {
    summary: 'Asks now about what is held.',
    method: 'POST',
    path: '/v1/approvals/show',
    access: 'owner',
    params: v.strictObject({
      ids: v.union([v.literal('all'), v.pipe(v.array(uuid), v.maxLength(SHOWN_MAX))]),
    }),
  },
} as const;
