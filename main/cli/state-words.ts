// How a request or task stands, in the words of the pages. Pure.
import { ENGLISH } from '../../preload/contract/strings/english.ts';
import { inWords } from './terminal.ts';

export function stateWords(state: string): string {
  return ENGLISH.conversations.states[state] ?? inWords(state);
}
