// What a program that reads slowly gets from `axon mcp`.
import { PassThrough, Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { StdioTransport } from '../../../main/mcp/stdio-transport.ts';

/** Longer than what is waited for an answer once the input has ended. */
const READ_AFTER_MS = 3_000;

it('gives no error for what is answered just when the input ends', async () => {
  const input = new PassThrough();
  const lines: string[] = [];
  const output = new Writable({
    highWaterMark: 1,
    write: (line: Buffer, _, read) => {
      lines.push(line.toString());
      void setTimeout(READ_AFTER_MS).then(() => read());
    },
  });
  const transport = new StdioTransport(input, output);
  await transport.start();
  input.write('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
  await setTimeout(10);
  const sent = transport.send({ jsonrpc: '2.0', id: 1, result: {} });
  input.end();
  await transport.ended;
  await sent;
  output.end();
  await new Promise((finished) => output.once('finish', finished));
  expect(lines.map((line) => JSON.parse(line))).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
});
