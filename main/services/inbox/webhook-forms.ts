// What a webhook is: which addresses it may have, and what is sent there. One fixed sentence, and
// never a word of what anybody wrote. Pure.
import { createHash, createHmac } from 'node:crypto';
import type { WebhookPreset } from '../../../preload/contract/closed-lists.ts';
import { WAKE_SENTENCE } from '../../../preload/contract/wake.ts';
import { escapeGiven } from '../../core/text-escape.ts';
import { type AppError, inputError } from '../../lib/app-error.ts';
import type { Secret } from '../../lib/secret.ts';
import type { OutsideCall } from '../../ports/outside.ts';
import { WEBHOOK_ANSWER_MAX_BYTES, WEBHOOK_CALL_MAX_MS } from './limits.ts';

/** Begins a secret that is base64, as the Standard Webhooks have it. */
const MADE_SECRET = 'whsec_';
const LOOPBACK = /^(?:127(?:\.[0-9]{1,3}){3}|\[::1\])$/;
const HTTP_PORT = 80;

interface Form {
  /** Which addresses fit, and how they are told. */
  readonly path: RegExp;
  readonly example: string;
  /** A secret that it cannot do without is asked for, or made. */
  readonly secret: 'asked' | 'made' | 'optional';
  readonly call: (wake: Wake) => Pick<OutsideCall, 'headers'> & {
    readonly body: string;
    readonly path?: string;
  };
}

/** One wake-up. */
interface Wake {
  readonly id: string;
  /** By the wall clock, ms. */
  readonly at: number;
  /** Of the address. */
  readonly path: string;
  readonly secret: string | null;
}

const FORMS: Readonly<Record<WebhookPreset, Form>> = {
  opencode: {
    path: /^\/session\/[\w-]+$/,
    example: 'http://127.0.0.1:4096/session/ses_...',
    secret: 'optional',
    call: ({ path, secret }) => ({
      path: `${path}/prompt_async`,
      headers:
        secret === null
          ? {}
          : { authorization: `Basic ${Buffer.from(`opencode:${secret}`).toString('base64')}` },
      body: JSON.stringify({ parts: [{ type: 'text', text: WAKE_SENTENCE }] }),
    }),
  },
  openclaw: {
    path: /\/(?:agent|wake)$/,
    example: 'http://127.0.0.1:18789/hooks/agent',
    secret: 'asked',
    call: ({ id, path, secret }) => ({
      headers: { authorization: `Bearer ${secret ?? ''}`, 'idempotency-key': id },
      body: JSON.stringify(
        path.endsWith('/wake')
          ? { text: WAKE_SENTENCE, mode: 'now' }
          : { message: WAKE_SENTENCE, name: 'AXON Hub', deliver: false },
      ),
    }),
  },
  generic: {
    path: /^\//,
    example: 'http://127.0.0.1:8080/wake',
    secret: 'made',
    call: ({ id, at, secret }) => {
      const body = JSON.stringify({ text: WAKE_SENTENCE });
      const time = String(Math.floor(at / 1_000));
      const signature = createHmac('sha256', keyOf(secret ?? ''))
        .update(`${id}.${time}.${body}`)
        .digest('base64');
      return {
        headers: {
          'webhook-id': id,
          'webhook-timestamp': time,
          'webhook-signature': `v1,${signature}`,
        },
        body,
      };
    },
  },
};

/**
 * The address as it is kept.
 * @param ownPorts where this hub itself listens
 * @throws AppError bad_request
 */
export function webhookAddress(
  preset: WebhookPreset,
  typed: string,
  ownPorts: readonly number[],
): string {
  const { path, example } = FORMS[preset];
  const url = URL.parse(typed.trim());
  const isPlain =
    url?.protocol === 'http:' &&
    [url.username, url.password, url.search, url.hash].every((part) => part === '');
  if (!isPlain || !LOOPBACK.test(url.hostname))
    throw unfit(typed, 'It must begin with http:// and a number of this computer', example);
  if (ownPorts.includes(portOf(url))) throw unfit(typed, 'This hub itself is there', example);
  const pathname = url.pathname.length > 1 ? url.pathname.replace(/\/$/, '') : url.pathname;
  if (!path.test(pathname)) throw unfit(typed, 'It must name where the program listens', example);
  return `${url.origin}${pathname}`;
}

export function portOf(url: URL): number {
  return url.port === '' ? HTTP_PORT : Number(url.port);
}

/**
 * The id of a call: one that is made again for the same items has it again.
 * @param oldest of them
 */
export function wakeIdOf(agent: string, oldest: string): string {
  return createHash('sha256').update(`${agent} ${oldest}`).digest('hex').slice(0, 32);
}

/** The call of one wake-up. */
export function webhookCall(
  preset: WebhookPreset,
  address: string,
  wake: { readonly id: string; readonly at: number; readonly secret: Secret<string> | null },
): OutsideCall {
  const url = new URL(address);
  const secret = wake.secret?.expose() ?? null;
  const form = FORMS[preset].call({ ...wake, secret, path: url.pathname });
  return {
    url: `${url.origin}${form.path ?? url.pathname}`,
    method: 'POST',
    headers: { ...form.headers, 'content-type': 'application/json' },
    body: form.body,
    timeoutMs: WEBHOOK_CALL_MAX_MS,
    answerMaxBytes: WEBHOOK_ANSWER_MAX_BYTES,
  };
}

/**
 * The secret that was given, or one that is made where this form needs one; null: there is none.
 * @throws AppError bad_request: it has to be given
 */
export function webhookSecret(
  preset: WebhookPreset,
  given: string | undefined,
  random: (length: number) => Uint8Array,
): { readonly secret: string | null; readonly isMade: boolean } {
  const { secret: kind } = FORMS[preset];
  // It stands in a header as it is.
  if (kind === 'asked' && given !== undefined && !/^[ -~]+$/.test(given))
    throw inputError('bad_request', 'A token is plain characters on one line; this is none.');
  if (given !== undefined) return { secret: given, isMade: false };
  switch (kind) {
    case 'optional':
      return { secret: null, isMade: false };
    case 'made':
      return { secret: MADE_SECRET + Buffer.from(random(24)).toString('base64'), isMade: true };
    case 'asked':
      throw inputError('bad_request', 'OpenClaw takes no call without the token of its hooks.', {
        hint: 'It is "hooks.token" in the settings of OpenClaw.',
      });
  }
}

function keyOf(secret: string): Buffer {
  return secret.startsWith(MADE_SECRET)
    ? Buffer.from(secret.slice(MADE_SECRET.length), 'base64')
    : Buffer.from(secret);
}

function unfit(typed: string, why: string, example: string): AppError {
  return inputError('bad_request', `"${escapeGiven(typed)}" is no address of a webhook. ${why}.`, {
    hint: `Such as ${example}.`,
  });
}
