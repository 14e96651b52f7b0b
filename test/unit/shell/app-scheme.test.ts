import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerAppRequest, mapBuiltFiles } from '../../../main/shell/app-scheme.ts';
import { CONTENT_SECURITY_POLICY } from '../../../preload/contract/content-security.ts';

let folder = '';
let files: Awaited<ReturnType<typeof mapBuiltFiles>> = new Map();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'axon-scheme-'));
  await writeFile(join(folder, 'secret.html'), 'secret');
  await mkdir(join(folder, 'site', 'assets'), { recursive: true });
  await writeFile(join(folder, 'site', 'index.html'), '<!doctype html>');
  await writeFile(join(folder, 'site', 'assets', 'app.js'), 'void 0');
  await writeFile(join(folder, 'site', 'assets', 'app.js.map'), 'not served');
  files = await mapBuiltFiles(join(folder, 'site'));
});

afterAll(() => rm(folder, { recursive: true }));

describe('E8: the app scheme', () => {
  test('serves the built files with the policy', async () => {
    const page = await answerAppRequest(files, 'app://hub/', 'GET');
    expect(page.status).toBe(200);
    expect(await page.text()).toBe('<!doctype html>');
    expect(page.headers.get('content-security-policy')).toBe(CONTENT_SECURITY_POLICY);
    expect(
      (await answerAppRequest(files, 'app://hub/assets/app.js?x=1', 'GET')).headers.get(
        'content-type',
      ),
    ).toMatch('javascript');
  });

  test.each([
    'app://hub/../secret.html',
    'app://hub/..%2fsecret.html',
    'app://hub/%2e%2e/secret.html',
    'app://hub/%2e%2e%5csecret.html',
    'app://hub//secret.html',
    'app://hub/assets/',
    'app://hub/assets/app.js.map',
    'app://hub/constructor',
    'app://other/index.html',
    'app://hub:80/index.html',
    'app://user@hub/../index.html/..',
    'file:///etc/passwd',
    'https://hub/index.html',
    'not a url',
    `app://hub/${'../'.repeat(500)}etc/passwd`,
    'app://hub/index.html\u0000.js',
  ])('answers %s with a bare 404 that still carries the policy', async (url) => {
    const answer = await answerAppRequest(files, url, 'GET');
    expect(answer.status).toBe(404);
    expect(await answer.text()).toBe('Not found');
    expect(answer.headers.get('content-security-policy')).toBe(CONTENT_SECURITY_POLICY);
  });

  test('answers nothing but GET', async () => {
    expect((await answerAppRequest(files, 'app://hub/', 'POST')).status).toBe(404);
  });
});
