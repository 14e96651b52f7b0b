// A bare mDNS socket inside a computer of the test network: prints every packet as a JSON line
// {from, port, base64} and sends what it is told, as JSON lines {base64, address?, source?} on
// standard input. Argument: its own IPv4 address, from which it sends what names no other of this
// computer as its source.
import { createSocket } from 'node:dgram';
import { createInterface } from 'node:readline';

const GROUP = '224.0.0.251';
const PORT = 5353;
const [address = ''] = process.argv.slice(2);

const socket = createSocket({ type: 'udp4', reuseAddr: true });
socket.on('message', (bytes, { address: from, port }) => {
  process.stdout.write(`${JSON.stringify({ from, port, base64: bytes.toString('base64') })}\n`);
});
await new Promise<void>((resolve) => socket.bind(PORT, '0.0.0.0', resolve));
socket.addMembership(GROUP, address);
socket.setMulticastTTL(255);
process.stdout.write(`${JSON.stringify({ ready: true })}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  const order: { readonly base64: string; readonly address?: string; readonly source?: string } =
    JSON.parse(line);
  socket.setMulticastInterface(order.source ?? address);
  const sent = await new Promise<string>((resolve) => {
    socket.send(Buffer.from(order.base64, 'base64'), PORT, order.address ?? GROUP, (error) =>
      resolve(error?.message ?? 'ok'),
    );
  });
  process.stdout.write(`${JSON.stringify({ sent })}\n`);
}
