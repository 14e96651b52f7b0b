// What the system does around the app: it locks, sleeps, shuts down, or its screens change. Each
// becomes one call. The hub itself notices sleep by its clock.
import type { PowerMonitor, Screen } from 'electron';

interface SystemListener {
  /** Whoever sits there now may be somebody else. */
  onAway(): void;
  onLock(): void;
  onUnlock(): void;
  /** The system waits for the app to end. */
  onShutdown(): void;
  onScreens(): void;
}

export function listenToSystem(
  powerMonitor: PowerMonitor,
  screen: Screen,
  listener: SystemListener,
): void {
  powerMonitor.on('suspend', () => listener.onAway());
  powerMonitor.on('lock-screen', () => {
    listener.onAway();
    listener.onLock();
  });
  powerMonitor.on('unlock-screen', () => listener.onUnlock());
  powerMonitor.on('shutdown', (...events: readonly unknown[]) => {
    // Electron waits where it is asked to, whatever its types say of this event.
    const [event] = events as readonly { preventDefault?: () => void }[];
    event?.preventDefault?.();
    listener.onShutdown();
  });
  screen.on('display-added', () => listener.onScreens());
  screen.on('display-removed', () => listener.onScreens());
  screen.on('display-metrics-changed', () => listener.onScreens());
}
