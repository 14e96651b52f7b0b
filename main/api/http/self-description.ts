// The hub's public description of its interface: /openapi.json and /skill.md. Both are the same for
// every hub. They are made when they are first asked for, once.
import skill from '../../../resources/SKILL.md?raw';
import { lazily } from '../../lib/lazily.ts';
import { jsonAnswer, type Answer } from './respond.ts';

const DESCRIPTIONS = {
  '/openapi.json': lazily(async (): Promise<Answer> => {
    const { OPENAPI } = await import('../openapi.ts');
    return jsonAnswer(OPENAPI);
  }),
  '/skill.md': async (): Promise<Answer> => ({
    status: 200,
    type: 'text/markdown; charset=utf-8',
    body: skill,
  }),
} as const;

type DescriptionPath = keyof typeof DESCRIPTIONS;

export function isSelfDescription(path: string): path is DescriptionPath {
  return Object.hasOwn(DESCRIPTIONS, path);
}

export function selfDescription(path: DescriptionPath): Promise<Answer> {
  return DESCRIPTIONS[path]();
}
