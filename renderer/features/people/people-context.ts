// What the screen hands down to its parts.
import { createContext } from 'svelte';
import type { PeopleController } from './PeopleController.svelte.ts';

export const [getPeople, setPeople] = createContext<PeopleController>();
