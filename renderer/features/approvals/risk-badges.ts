// How each class of risk looks on the line: shape and drawing, so that colour never carries it
// alone.
import type { RiskClass } from '../../../preload/contract/dto.ts';
import type { IconName } from '../../ui/icons.ts';

export const RISK_BADGES: Readonly<
  Record<RiskClass, { readonly shape: 'circle' | 'square' | 'octagon'; readonly icon: IconName }>
> = {
  R0: { shape: 'circle', icon: 'eye' },
  R1: { shape: 'circle', icon: 'turn' },
  R2: { shape: 'square', icon: 'others' },
  R3: { shape: 'octagon', icon: 'danger' },
};

/** Of a request that asks a person to choose. */
export const CHOICE_BADGE = {
  shape: 'circle',
  icon: 'fork',
} as const satisfies (typeof RISK_BADGES)[RiskClass];
