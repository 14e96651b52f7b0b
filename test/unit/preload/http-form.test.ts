// The HTTP form of an operation and the router that reads it: what one writes, the other must read,
// for every operation of the table.
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { mergeParams, Router } from '../../../main/api/http/router.ts';
import { httpRequestOf } from '../../../preload/contract/http-form.ts';
import { OPERATIONS } from '../../../preload/contract/operations.ts';
import type { OperationName } from '../../../preload/contract/operations.ts';

const router = new Router();
const names = Object.keys(OPERATIONS) as OperationName[];

function roundTrip(name: OperationName, params: Record<string, unknown>): unknown {
  const form = httpRequestOf(name, params);
  const [path = '', query = ''] = form.path.split('?');
  const match = router.match(form.method, path);
  if (match === undefined) return undefined;
  const others = form.body === null ? router.readQuery(match.name, query) : JSON.parse(form.body);
  return { name: match.name, params: mergeParams(match.pathParams, others) };
}

describe('the HTTP form of an operation', () => {
  test.each(names)('%s is read back as itself', (name) => {
    const inPath = [...OPERATIONS[name].path.matchAll(/:([a-z]+)/g)].map(([, key]) => [
      key ?? '',
      'a/b ?#%\u00e9..',
    ]);
    const params = {
      ...Object.fromEntries(inPath),
      ...(OPERATIONS[name].method === 'GET' ? {} : { other: [1, null, { deep: true }] }),
    };
    expect(roundTrip(name, params)).toEqual({ name, params });
  });

  test.each(names)('%s takes text for what stands in its path', (name) => {
    const { path, params } = OPERATIONS[name];
    const inPath = [...path.matchAll(/:([a-z_]+)/g)].map(([, key]) => key ?? '');
    const { issues = [] } = v.safeParse(
      params,
      Object.fromEntries(inPath.map((key) => [key, '1'])),
    );
    const refused = issues.filter((issue) => inPath.includes(String(issue.path?.[0]?.key)));
    expect(refused.filter(({ kind }) => kind === 'schema')).toEqual([]);
  });

  test('keeps numbers and switches of a query what they are, and words words', () => {
    expect(roundTrip('tasks.list', { limit: 5, cursor: '17', conversation: '123' })).toEqual({
      name: 'tasks.list',
      params: { limit: 5, cursor: '17', conversation: '123' },
    });
    expect(roundTrip('peers.capabilities', { id: 'true', refresh: true })).toEqual({
      name: 'peers.capabilities',
      params: { id: 'true', refresh: true },
    });
  });

  test('leaves out what is undefined, and refuses to be made without its path', () => {
    expect(httpRequestOf('tasks.cancel', { id: 'x', reason: undefined })).toEqual({
      method: 'POST',
      path: '/v1/tasks/x/cancel',
      body: '{}',
    });
    expect(httpRequestOf('sessions.revoke', { id: 'x' })).toEqual({
      method: 'DELETE',
      path: '/v1/sessions/x',
      body: null,
    });
    expect(() => httpRequestOf('tasks.cancel', {})).toThrow(TypeError);
  });

  test('is not reached by another spelling of the path', () => {
    for (const path of [
      '/v1/status/',
      '/v1//status',
      '/V1/status',
      '/v1/%73tatus',
      '/v1/./status',
      '/v1/agents/..',
      '/v1/agents/%2e%2e',
      '/v1/agents/%ff',
    ]) {
      expect(router.match('GET', path), path).toBeUndefined();
    }
    expect(() => mergeParams({ id: 'a' }, { id: 'b' })).toThrow('one thing in the path');
    expect(() => router.readQuery('tasks.list', 'limit=1&limit=2')).toThrow('twice');
  });
});
