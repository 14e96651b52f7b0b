// What `axon` says to words that are none of its commands or options, before any hub is asked.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { OPTIONS_MAX, OPTIONS_MIN } from '../../main/protocol/limits.ts';
import { rounds } from '../support/counts.ts';
import { axon, endPrograms, Program } from '../support/programs.ts';

afterEach(endPrograms);

describe('words that do not fit', () => {
  const nowhere = join(tmpdir(), 'axon-nowhere');

  test('are told with the commands there are and the help that says how', async () => {
    for (const group of ['agents', 'approvals', 'rules', 'pair', 'peers']) {
      const refused = await axon(nowhere, [group, 'nonsense']);
      expect(refused).toMatchObject({
        code: 2,
        error: expect.stringMatching(`^Unknown command 'nonsense' of ${group}, which has \\w+`),
      });
      expect(refused.error).toContain(`axon ${group} --help" says how`);
    }
    expect((await axon(nowhere, ['query'])).error).toContain('axon query --help" says how');
  });

  test('are told of a deadline or a request that cannot be, by every command alike', async () => {
    const outgoing = [
      ['query', 'mum', 'Milk?'],
      ['delegate', 'mum', 'Buy milk'],
      ['escalate', 'mum', 'Which milk?', '--option', 'Oat', '--option', 'Cow'],
    ];
    for (const words of outgoing) {
      const endless = await axon(nowhere, [...words, '--deadline', '86401']);
      expect(endless).toMatchObject({
        code: 2,
        error: expect.stringContaining('at most 86400 seconds'),
      });
    }
    const noRequest = await axon(nowhere, ['approvals', 'now', 'that-one']);
    expect(noRequest).toMatchObject({
      code: 2,
      error: expect.stringContaining('"that-one" is not the id of a request'),
    });
  });

  test('are told of options nobody can choose among, in the words of the command', async () => {
    const one = ['escalate', 'mum', 'Which milk?', '--option', 'Oat'];
    expect(await axon(nowhere, one)).toMatchObject({
      code: 2,
      error: expect.stringContaining(`${OPTIONS_MIN} to ${OPTIONS_MAX} options`),
    });
    const missing = await axon(nowhere, [...one, '--option', 'Cow', '--recommend', '3']);
    expect(missing).toMatchObject({
      code: 2,
      error: 'There is no option 3: --recommend names one by its place, 1 to 2.\n',
    });
  });

  test('are told of domains, times of day and digits that are none, each by its option', async () => {
    for (const [words, said] of [
      [
        ['agents', 'add', 'x', '--domain', 'Family Chat'],
        "Option '--domain <domain>' argument 'Family Chat' is invalid.",
      ],
      [
        ['quiet', 'set', 'Night', '--from', '21:30', '--to', '7'],
        "Option '--to <time>' argument '7' is invalid.",
      ],
      [['pair', 'digits', '12345'], 'the six or the two digits'],
    ] as const) {
      expect(await axon(nowhere, words)).toMatchObject({
        code: 2,
        out: '',
        error: expect.stringContaining(said),
      });
    }
  });

  test('are told by "help", too, which knows the commands of a group', async () => {
    expect(await axon(nowhere, ['help', 'pair', 'start'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Usage: .* pair start /),
    });
    expect(await axon(nowhere, ['help', 'nonsense'])).toMatchObject({
      code: 2,
      error: expect.stringMatching(/^Unknown command 'nonsense'\./),
    });
    expect((await axon(nowhere, ['help'])).out).toBe((await axon(nowhere, ['--help'])).out);
  });

  test('of "listen" show an item, the exit codes and what a cancel does', async () => {
    const { code, out } = await axon(nowhere, ['listen', '--help']);
    expect(code).toBe(0);
    for (const part of [
      '{"delivery_id":',
      'Exit codes of the program',
      'A cancel ends the program',
    ])
      expect(out).toContain(part);
  });

  test('have the help of their group where --help stands among them', async () => {
    for (const words of [
      ['nonsense', '--help'],
      ['pair', '--help', 'start'],
      ['peers', '--as', 'nonsense', '--help'],
      ['query', 'nonsense', '--help'],
      ['help', '--home', nowhere],
    ]) {
      expect(await axon(nowhere, words), words.join(' ')).toMatchObject({
        code: 0,
        error: '',
        out: expect.stringMatching(/^Usage: /),
      });
    }
    expect((await axon(nowhere, ['delegat'])).error).toContain('(Did you mean delegate?)');
  });

  test('and none at all are told as JSON when JSON was asked for', async () => {
    const refused = await axon(nowhere, ['--json']);
    expect([refused.code, refused.out]).toEqual([2, '']);
    expect(JSON.parse(refused.error)).toMatchObject({
      code: 'bad_request',
      detail: 'No command was named.',
      hint: expect.stringMatching(/--help"/),
    });
    expect(await axon(nowhere, ['help', '--json'])).toMatchObject({ code: 0, error: '' });
  });

  test('are nothing to "help" beside the names of commands, whatever they would begin', async () => {
    for (const [words, usage] of [
      [['listen', './my-agent'], 'listen '],
      [['listen', 'node', '--', 'agent.ts'], 'listen '],
      [['query', 'Mum’s PC', '--', 'hi'], 'query '],
      [['pair', 'start', '--', 'mum'], 'pair start '],
      [['pair', 'nonsense', 'start'], 'pair '],
      [['hub', '--', '--name', 'x'], 'hub '],
    ] as const) {
      const told = await axon(nowhere, ['help', ...words]);
      expect(told, words.join(' ')).toMatchObject({
        code: 0,
        error: '',
        out: expect.stringMatching(new RegExp(`^Usage: .* ${usage}`)),
      });
    }
  });

  test('that are secrets are refused, as JSON when JSON was asked for', async () => {
    const refused = await axon(nowhere, ['join', 'axon://pair?x', '--json']);
    expect([refused.code, refused.out]).toEqual([2, '']);
    expect(JSON.parse(refused.error)).toMatchObject({
      code: 'bad_request',
      detail: expect.stringContaining('An invitation was given'),
    });
  });

  test('that are a link alone say how to pair with its hub', async () => {
    const link = `axon://${'A'.repeat(43)}@192.168.1.20:7100`;
    const { code, error } = await axon(nowhere, [link]);
    expect([code, error]).toEqual([2, expect.stringContaining(` pair start ${link}\n`)]);
    const elsewhere = await axon(nowhere, ['--home', '/elsewhere', link]);
    expect(elsewhere.error).toContain(` --home /elsewhere pair start ${link}\n`);
  });

  test('are told as JSON when JSON was asked for', async () => {
    const refused = await axon(nowhere, ['status', '--json', '--colour']);
    expect([refused.code, refused.out]).toEqual([2, '']);
    expect(JSON.parse(refused.error)).toMatchObject({
      code: 'bad_request',
      detail: `Unknown option '--colour'. A text that begins with "-" stands after "--".`,
    });
  });

  test('that hold a blank are texts and no options, whatever they begin with', async () => {
    const texts = ['- buy milk', '-h\nplease', '--reason of all'];
    const commands = [
      (text: string) => ['query', 'Mum', text],
      (text: string) => ['delegate', 'Mum', text, '--reason', text],
      (text: string) => ['reply', '7c1d0000-0000-4000-8000-000000000000', text, `--error=${text}`],
      (text: string) => ['answer', 'x', text],
      (text: string) => ['cancel', 'x', text],
      (text: string) => ['notify', 'Mum', 'shopping', text],
      (text: string) => ['search', text],
    ];
    const each = rounds('texts that look like options, to each command', { short: 1, long: 3 });
    for (const [at, command] of commands.entries())
      for (let turn = 0; turn < each; turn += 1) {
        const words = command(texts[(at + turn) % texts.length] ?? '');
        const { code, error } = await axon(nowhere, words);
        expect([code, error], words.join(' ')).toEqual([1, expect.stringContaining('No hub is')]);
      }
    expect((await axon(nowhere, ['reply', 'x', '-verbose'])).error).toContain(
      `Unknown option '-verbose'. A text that begins with "-" stands after "--".`,
    );
    expect((await axon(nowhere, ['reply', 'x', '--', '-verbose'])).code).toBe(1);
  }, 120_000);

  test('that begin as JSON and would not arrive as they are go nowhere, not even as text', async () => {
    for (const [news, said] of [
      ['{"a":1,"a":2}', 'the key "a" stands twice in one object'],
      ['{when:Friday}', 'expected a key in quotes at character 1'],
      ['[1,2', 'expected "," or "]" at character 4'],
      [String.raw`"\ud800"`, 'half of a surrogate pair'],
      ['1035342667379599058', 'beyond 2^53 - 1'],
    ] as const) {
      const { code, error } = await axon(nowhere, ['notify', 'Mum', 'shopping', news]);
      expect([code, error]).toEqual([2, expect.stringContaining('It begins as JSON, but ')]);
      expect(error).toContain(said);
    }
    for (const news of ['{"a":1}', 'Milk', '-5 degrees', '2026-11-26', '"Milk"'])
      expect((await axon(nowhere, ['notify', 'Mum', 'shopping', '--', news])).error).toContain(
        'No hub is',
      );
  });

  test('are refused as usual where nobody can be told', async () => {
    const refused = Program.start('cli', ['nonsense'], { AXON_HOME: nowhere });
    refused.stopReading();
    expect((await refused.ended()).code).toBe(2);
  });
});
