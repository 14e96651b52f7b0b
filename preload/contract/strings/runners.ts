// What a program that the hub keeps running is called, and what it has cost today: the same at a
// page and at a terminal. English.
import { ACP_PROGRAMS, type RunnerDto } from '../runners.ts';
import { agents } from './owner.ts';

export function titleOf(runner: RunnerDto): string {
  if (runner.kind === 'acp') return ACP_PROGRAMS[runner.program].title;
  return runner.kind === 'file' ? runner.file : runner.program;
}

/** @param wakesMax of each agent that is woken */
export function todayOf(runner: RunnerDto, wakesMax: number): string {
  const { wakesToday, tokensToday } = agents.runner;
  return runner.kind === 'file'
    ? tokensToday(runner.tokens, runner.budget)
    : wakesToday(runner.wakes, wakesMax, runner.tokens);
}
