// A page that names its computer, served on 127.0.0.1 and a free port. Argument: the name. Prints
// the port.
import { createServer } from 'node:http';

const [name = ''] = process.argv.slice(2);
const server = createServer((_, answer) => {
  answer.setHeader('content-type', 'text/html; charset=utf-8');
  answer.end(
    `<!doctype html><title>${name}</title><h1>${name}</h1><button onclick="this.textContent = 'pressed'">press</button>`,
  );
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object')
    process.stdout.write(`port ${address.port}\n`);
});
