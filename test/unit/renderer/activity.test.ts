import { describe, expect, test } from 'vitest';
import {
  activityOf,
  layoutActivity,
  type Hour,
} from '../../../renderer/features/approvals/activity.ts';
import type { ApprovalDto } from '../../../preload/contract/dto.ts';
import { approvalOf } from '../../fakes/household.ts';

const at = (hour: number, minute = 0, day = 21): number =>
  new Date(2026, 10, day, hour, minute).getTime();
const NOW = at(18, 4);
let made = 0;
const decided = (
  decided_at: number | null,
  state: ApprovalDto['state'] = 'approved',
  over: Partial<ApprovalDto> = {},
) =>
  approvalOf(String(made++), { state, decided_at, decided_by: 'Mum', surface: 'window', ...over });
const BY_RULE = { rule_id: 'rule', decided_by: 'hub', surface: 'rule' } as const;
const ONLY_LOOKS = { decided_by: 'hub', surface: 'rule' } as const;
const BY_ADULT = { decided_by: 'Nadia, Nadia’s PC', surface: 'peer' } as const;
const spoken = ({ at: from, allowed, unasked, answered, declined, expired }: Hour) =>
  `${new Date(from).getHours()}: ${allowed} ${unasked} ${answered} ${declined} ${expired}`;

describe('the day at the door', () => {
  test('what people allowed or answered, what a rule allowed, what was declined and what nobody decided are counted by the hour; what was called off is none of these', () => {
    const { hours, ...sums } = activityOf(
      [
        decided(at(9, 59)),
        decided(at(10), 'approved', BY_RULE),
        decided(at(10, 10), 'approved', ONLY_LOOKS),
        decided(at(10, 20), 'approved', BY_ADULT),
        decided(at(10, 30), 'declined'),
        decided(at(10, 40), 'declined', BY_RULE),
        decided(at(10, 50), 'expired', { decided_by: null, surface: 'clock' }),
        decided(at(11), 'cancelled', { surface: 'peer' }),
        decided(at(11, 20), 'answered'),
        decided(null, 'pending'),
        decided(at(23, 59, 20)),
        decided(at(18, 30)),
      ],
      0,
      NOW,
    );
    expect(sums).toEqual({
      allowed: 2,
      unasked: 1,
      answered: 1,
      declined: 2,
      expired: 1,
      declinedByRule: 1,
      isWhole: true,
    });
    expect(hours.map(spoken)).toEqual([
      '9: 1 0 0 0 0',
      '10: 1 1 0 2 1',
      '11: 0 0 1 0 0',
      ...[12, 13, 14, 15, 16, 17, 18].map((hour) => `${hour}: 0 0 0 0 0`),
    ]);
  });

  test('one that is told twice counts once', () => {
    const one = decided(at(12));
    expect(activityOf([one, { ...one }], 0, NOW).allowed).toBe(1);
  });

  test('an hour of which not everything is known is left out, and then the day is not called whole', () => {
    const { hours, isWhole, allowed } = activityOf(
      [decided(at(14, 30)), decided(at(14, 50)), decided(at(15, 10))],
      at(14, 30),
      NOW,
    );
    expect({ isWhole, allowed, first: hours.map(spoken)[0] }).toEqual({
      isWhole: false,
      allowed: 1,
      first: '15: 1 0 0 0 0',
    });
    expect(activityOf([decided(at(14, 30))], at(23, 0, 20), NOW).isWhole).toBe(true);
  });

  test('just after midnight there is a picture, too', () => {
    expect(activityOf([decided(at(0, 1))], 0, at(0, 2)).hours.map(spoken)).toEqual([
      '0: 1 0 0 0 0',
    ]);
  });

  test.each([280, 420, 976])(
    'at %s px everything stands inside, bars do not touch and their heights are in proportion',
    (width) => {
      const many = Array.from({ length: 37 }, (_, index) =>
        decided(at(8 + (index % 5), index), 'approved', index % 2 === 0 ? BY_RULE : {}),
      );
      const turned = [decided(at(3), 'declined'), decided(at(3), 'expired')];
      const plan = layoutActivity(activityOf([...many, ...turned], 0, NOW), width);
      for (const [index, bar] of plan.bars.entries()) {
        expect(bar.x).toBeGreaterThanOrEqual(plan.left);
        expect(bar.x + plan.barWidth).toBeLessThanOrEqual(
          (plan.bars[index + 1]?.x ?? plan.width + 2) - 2,
        );
        expect(bar.allowed.y).toBeGreaterThanOrEqual(0);
        expect(bar.declined.y + bar.declined.height).toBe(bar.expired.y);
        expect(bar.expired.y + bar.expired.height).toBeLessThan(plan.foot);
      }
      const unit = plan.bars.flatMap((bar) =>
        bar.hour.allowed > 0 ? [bar.allowed.height / bar.hour.allowed] : [],
      );
      expect(Math.max(...unit) - Math.min(...unit)).toBeLessThan(0.001);
      expect(plan.lines.length).toBeGreaterThan(0);
      expect(plan.lines.length).toBeLessThanOrEqual(4);
      const labels = plan.bars.filter((bar) => bar.isLabelled).map((bar) => bar.x);
      for (const [index, x] of labels.entries())
        if (index > 0) expect(x - (labels[index - 1] ?? 0)).toBeGreaterThanOrEqual(30);
    },
  );
});
