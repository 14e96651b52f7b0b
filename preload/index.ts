// Runs in the sandboxed page before its scripts: exposes named functions and nothing else. Events
// never leak Electron's own objects.
import { contextBridge, ipcRenderer } from 'electron';
import { createBridge } from './bridge.ts';
import { BRIDGE_NAME } from './contract/bridge.ts';

contextBridge.exposeInMainWorld(
  BRIDGE_NAME,
  createBridge({
    invoke: (channel, ...parameters) => ipcRenderer.invoke(channel, ...parameters),
    listen: (channel, listener) => {
      ipcRenderer.on(channel, (_event, value: unknown) => listener(value));
    },
  }),
);
