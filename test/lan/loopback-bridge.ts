// A door into one computer of the test network: a Unix socket, which every namespace sees, whose
// connections continue to a port of that computer's own 127.0.0.1. Arguments: socket path, port.
// Prints "open" when it listens.
import { connect, createServer } from 'node:net';

const [path = '', port = ''] = process.argv.slice(2);
const server = createServer({ allowHalfOpen: true }, (near) => {
  const far = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true });
  near.pipe(far).pipe(near);
  near.on('error', () => far.destroy());
  far.on('error', () => near.destroy());
  near.on('close', () => far.destroy());
  far.on('close', () => near.destroy());
});
server.listen(path, () => process.stdout.write('open\n'));
