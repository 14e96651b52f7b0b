// What a person does so that a program that speaks the Agent Client Protocol is signed in. Pure.
import { basename } from 'node:path';
import type { AcpProgram } from '../../../preload/contract/runners.ts';

const WAYS: Readonly<Record<AcpProgram, string>> = {
  'claude-agent-acp': 'Start "claude" at a terminal and type "/login".',
  'codex-acp': 'Type "codex login" at a terminal.',
  gemini: 'Start "gemini" at a terminal and type "/auth".',
  opencode: 'Type "opencode auth login" at a terminal.',
};

export function signInOf(program: string): string {
  const name = basename(program);
  const way = Object.entries(WAYS).find(([known]) => known === name)?.[1];
  return way ?? 'How, the program itself tells.';
}
