// The choices that stand in a card's drawer: those the hub offers for this request, each with the
// words beside it and the time it ends.
import type { ApprovalDto } from '../../../preload/contract/dto.ts';
import { ALWAYS_LIFE_MS, CONVERSATION_LIFE_MS } from '../../../preload/contract/limits.ts';
import type { RuleChoice } from '../../../preload/contract/rules.ts';
import { dayAt, midnightAfter } from '../../app/rule-words.ts';
import { words } from '../../app/words.ts';

const { choices, choiceDetail, ends } = words.rules;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Equal requests that a person allowed in a row before the card offers a rule of itself. */
const SUGGEST_AFTER = 3;

export type WiderKey = 'conversation' | 'tonight' | 'week' | 'always' | 'never';

export interface WiderChoice {
  readonly key: WiderKey;
  readonly scope: RuleChoice;
  readonly title: string;
  readonly detail: string;
  /** For the scope "until". */
  readonly until?: number;
}

/** In the order of the drawer. */
export function choicesOf(approval: ApprovalDto, now: number): readonly WiderChoice[] {
  return approval.wider.flatMap((scope): readonly WiderChoice[] => {
    if (scope === 'conversation')
      return [
        { key: scope, scope, title: choices.conversation, detail: choiceDetail.conversation },
      ];
    if (scope === 'never')
      return [{ key: scope, scope, title: choices.never, detail: choiceDetail.never }];
    if (scope === 'until') {
      const tonight = midnightAfter(now);
      const week = now + 7 * DAY_MS;
      return [
        ...(tonight - now > HOUR_MS
          ? [
              {
                key: 'tonight',
                scope,
                title: choices.untilTonight,
                ...untilOf(tonight, now),
              } as const,
            ]
          : []),
        { key: 'week', scope, title: choices.untilWeek, ...untilOf(week, now) },
      ];
    }
    const title = approval.risk_class === 'R2' ? choices.alwaysTopic : choices.always;
    return [
      {
        key: scope,
        scope,
        title,
        detail: choiceDetail.untilTime(dayAt(now + ALWAYS_LIFE_MS, now)),
      },
    ];
  });
}

/** True when the card offers of itself to make a rule of what was allowed again and again. */
export function isSuggested(approval: ApprovalDto): boolean {
  return approval.allowed_before >= SUGGEST_AFTER && approval.wider.includes('always');
}

/** When the rule would end, as a sentence. */
export function endOf(choice: WiderChoice, now: number): string {
  if (choice.scope === 'never') return ends.never;
  if (choice.scope === 'conversation')
    return ends.conversation(dayAt(now + CONVERSATION_LIFE_MS, now));
  return ends.time(dayAt(choice.until ?? now + ALWAYS_LIFE_MS, now));
}

function untilOf(until: number, now: number): Pick<WiderChoice, 'until' | 'detail'> {
  return { until, detail: choiceDetail.untilTime(dayAt(until, now)) };
}
