// What counts as a logged message: the forms that loggers write, and none that somebody says.
import { describe, expect, test } from 'vitest';
import { logLine, readLogLine } from '../../../main/cli/message-log.ts';

const MESSAGE = { performative: 'TASK_REQUEST', message_id: 'm-1', payload: { task: 'mow' } };
const JSON_TEXT = JSON.stringify(MESSAGE);
const SENT = `MCP_MESSAGE_SENT: ${JSON_TEXT}`;
const record = (fields: object): string => JSON.stringify({ level: 30, time: 1, ...fields });

describe('a message that an agent logs', () => {
  test.each([
    SENT,
    `12:01 eddy INFO ${SENT}`,
    `12:01 ${SENT}`,
    `INFO: ${SENT}`,
    `info: ${SENT}`,
    ` Info       #Eddy  [CORE] ${SENT}`,
    `[2026-11-26 12:01:02] INFO: ${SENT}`,
    `[12:01:02.345] INFO (eddy/4711): ${SENT}`,
    `[12:01:02.345] INFO (4711 on mums-pc): ${SENT}`,
    `[1764158462000] INFO: ${SENT}`,
    `[2026-11-26 12:01:02.345 +0100] LOG: ${SENT}`,
    `2026-11-26T12:01:02.345Z [INFO    ] ${SENT}`,
    `\u001b[32m[2026-11-26 12:01:02] \u001b[32mINFO\u001b[39m: \u001b[36m${SENT}\u001b[39m`,
    `\u001b]0;eddy\u0007\u001b[1;38;5;10mINFO\u001b[0m: MCP_MESSAGE_SENT:\u001b[0m ${JSON_TEXT}`,
    `MCP_MESSAGE_SENT: ${JSON.stringify([JSON_TEXT])}`,
    record({ msg: SENT }),
    record({ level: 'info', msg: `\u001b[36m${SENT}\u001b[39m`, agentName: 'Eddy' }),
  ])('is read: %j', (line) => {
    expect(readLogLine(line)).toEqual({ isSent: true, message: MESSAGE });
  });

  test('is read back from the lines that "axon inbox --log-lines" prints', () => {
    const message = { ...MESSAGE, payload: { text: 'a\u2028b\u202e \n😀' } };
    expect(readLogLine(logLine(message))).toEqual({ isSent: false, message });
  });

  test.each([
    `12:01 eddy INFO user said: ${SENT}`,
    `12:01 Alice: ${SENT}`,
    `[12:01] Alice: ${SENT}`,
    `12:01 alice log ${SENT}`,
    `<Alice> ${SENT}`,
    `Alice: ${SENT}`,
    `> ${SENT}`,
    `"${SENT}"`,
    `INFO: "${SENT}"`,
    `INFO: Alice: ${SENT}`,
    `INFO: [Alice] ${SENT}`,
    `INFO: (Alice) ${SENT}`,
    `info ${SENT}`,
    `    ${SENT}`,
    `    text: "${SENT}"`,
    record({ msg: `Alice said ${SENT}` }),
    record({ msg: ` ${SENT}` }),
    record({ msg: 'heard', text: SENT }),
    record({ msg: 'heard', content: { msg: SENT } }),
    JSON.stringify({ user: 'Alice', msg: SENT }),
    JSON.stringify({ user: 'Alice', message: SENT }),
    JSON.stringify([SENT]),
  ])('is not what somebody says: %j', (line) => {
    expect(readLogLine(line)).toBeUndefined();
  });

  test.each([
    ['ends too early', ''],
    ['expected a JSON value', '[oops'],
    ['something follows the end', `${JSON_TEXT} and more`],
    ['something follows the end', `${JSON_TEXT}${JSON_TEXT}`],
    ['something follows the end', `${JSON_TEXT} (agent=Eddy)`],
    ['stands twice', '{"a":1,"a":2}'],
    ['stands twice', JSON.stringify('{"a":1,"a":2}')],
    ['is not allowed', '{"__proto__":{}}'],
    ['would change', '{"n":1035342667379599058}'],
    ['surrogate', '{"a":"\\ud800"}'],
    ['not a JSON object', '5'],
    ['not a JSON object', `[${JSON_TEXT},${JSON_TEXT}]`],
    ['nested deeper', '['.repeat(200_000)],
    ['nested deeper', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('is told as unreadable, since it: %s', (why, json) => {
    for (const line of [
      `INFO: MCP_MESSAGE_SENT: ${json}`,
      record({ msg: `MCP_MESSAGE_SENT: ${json}` }),
    ])
      expect(readLogLine(line)).toEqual({ isSent: true, message: expect.stringContaining(why) });
  });

  test('is told as unreadable in a record that is no JSON, or where its line is flawed', () => {
    expect(readLogLine(record({ msg: SENT }).replace('{', '{"level":1,'))).toEqual({
      isSent: true,
      message: expect.stringContaining('stands twice'),
    });
    expect(readLogLine(SENT, 'is not UTF-8')).toEqual({ isSent: true, message: 'is not UTF-8' });
  });

  test.each([' ', ' 1:01', '12:01 ', '#a ', '[', '\u001b[', '\u001b]', '(', '"', 'INFO '])(
    'takes no longer to find in a line of nothing but %j',
    (part) => {
      const before = performance.now();
      for (const head of ['', '12:01 ', 'INFO: ', '12:01 eddy INFO (', '{"level":30,"msg":"'])
        expect(
          readLogLine(`${head}${part.repeat(200_000 / part.length)} x ${SENT}`),
        ).toBeUndefined();
      // A pattern that backtracks takes minutes for them.
      expect(performance.now() - before).toBeLessThan(5_000);
    },
  );
});
