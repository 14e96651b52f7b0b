// The catalogue in use.
import { ENGLISH } from '../../preload/contract/strings/english.ts';

export const words = ENGLISH;
