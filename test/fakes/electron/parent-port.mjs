// Gives a forked Node child the `process.parentPort` that Electron's utility processes have.
import { EventEmitter } from 'node:events';

const port = new EventEmitter();
port.postMessage = (message) => process.send?.(message);
port.start = () => undefined;
process.on('message', (data) => port.emit('message', { data, ports: [] }));
Object.defineProperty(process, 'parentPort', { value: port });
