// What `axon` says to words that are none of its commands or options, before any hub is asked.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { axon, endPrograms, Program } from '../support/programs.ts';

afterEach(endPrograms);

describe('words that do not fit', () => {
  const nowhere = join(tmpdir(), 'axon-nowhere');

  test('are told with the commands there are and the help that says how', async () => {
    for (const group of ['agents', 'approvals', 'rules', 'pair', 'peers']) {
      const refused = await axon(nowhere, [group, 'nonsense']);
      expect(refused).toMatchObject({ code: 2, error: expect.stringMatching(`^Unknown command 'nonsense' of ${group}, which has \\w+`) });
      expect(refused.error).toContain(`axon ${group} --help" says how`);
    }
    expect((await axon(nowhere, ['query'])).error).toContain('axon query --help" says how');
  });

  test('are told of a deadline, a conversation or a request that cannot be, by every command alike', async () => {
    const outgoing = [
      ['query', 'mum', 'Milk?'],
      ['delegate', 'mum', 'Buy milk'],
      ['escalate', 'mum', 'Which milk?', '--option', 'Oat', '--option', 'Cow'],
    ];
    for (const words of outgoing) {
      const endless = await axon(nowhere, [...words, '--deadline', '86401']);
      expect(endless).toMatchObject({ code: 2, error: expect.stringContaining('at most 86400 seconds') });
      const unknown = await axon(nowhere, [...words, '--conversation', 'the last one']);
      expect(unknown).toMatchObject({ code: 2, error: expect.stringContaining('"conversation_id"') });
    }
    const noRequest = await axon(nowhere, ['approvals', 'now', 'that-one']);
    expect(noRequest).toMatchObject({ code: 2, error: expect.stringContaining('"that-one" is not the id of a request') });
  });

  test('are told as JSON when JSON was asked for', async () => {
    const refused = await axon(nowhere, ['status', '--json', '--colour']);
    expect([refused.code, refused.out]).toEqual([2, '']);
    expect(JSON.parse(refused.error)).toMatchObject({ code: 'bad_request', detail: "Unknown option '--colour'." });
  });

  test('are refused as usual where nobody can be told', async () => {
    const refused = Program.start('cli', ['nonsense'], { AXON_HOME: nowhere });
    refused.stopReading();
    expect((await refused.ended()).code).toBe(2);
  });
});
