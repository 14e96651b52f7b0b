// The catalogue in use. Every word a page shows comes through here.
import { ENGLISH } from '../../preload/contract/strings/english.ts';

export const words = ENGLISH;
