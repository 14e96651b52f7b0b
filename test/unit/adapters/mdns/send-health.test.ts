// When an interface counts as one whose packets are held back.
import { describe, expect, it } from 'vitest';
import { SendHealth } from '../../../../main/adapters/mdns/mdns-discovery.ts';

describe('an interface', () => {
  it('is mute after two packets in a row that did not leave, and speaks again after one that did; each change is told once', () => {
    const health = new SendHealth();
    const told = [true, false, true, false, false, false, true, true].map((hasLeft) => [
      health.sent('eth0', hasLeft),
      health.isMute('eth0'),
    ]);
    expect(told).toEqual([
      [false, false],
      [false, false],
      [false, false],
      [false, false],
      [true, true],
      [false, true],
      [true, false],
      [false, false],
    ]);
  });

  it('does not silence another, and starts anew when it comes back', () => {
    const health = new SendHealth();
    for (let count = 0; count < 2; count++) health.sent('eth0', false);
    expect([health.isMute('eth0'), health.isMute('wlan0')]).toEqual([true, false]);
    health.forget('eth0');
    expect(health.isMute('eth0')).toBe(false);
  });
});
