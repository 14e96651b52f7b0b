// One hub's discovery as a program of its own, to be run inside a computer of the test network:
// prints every event as a JSON line and obeys "stop" on standard input. Arguments: seed text of its
// key, port, interface names or "-".
import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import { SystemClock, SystemRandom } from '../../main/adapters/clock/system-clock.ts';
import { LineLog } from '../../main/adapters/log/line-log.ts';
import { createMdnsDiscovery } from '../../main/adapters/mdns/mdns-discovery.ts';

const [seedText = '', portText = '', interfaceText = '-'] = process.argv.slice(2);
const key = createHash('sha256').update(seedText).digest();
const agentId = `ed25519.${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
const say = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);

const clock = new SystemClock();
const discovery = createMdnsDiscovery({
  clock,
  random: new SystemRandom(),
  log: new LineLog(clock, (line) => void process.stderr.write(line), 'debug'),
  interfaces: interfaceText === '-' ? null : interfaceText.split(','),
});
for (const trouble of ['uncaughtException', 'unhandledRejection'])
  process.on(trouble, (error) => say({ type: 'crash', error: String(error) }));

const advertisement = { agentId, keyHex: key.toString('hex'), peerPort: Number(portText) };
await discovery.start(advertisement, say);
say({ type: 'started', agentId });

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'stop') break;
}
await discovery.stop();
say({ type: 'stopped' });
// From here on the process must end by itself: a timer or socket left behind would keep it.
process.stdin.destroy();
