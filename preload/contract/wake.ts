// What an agent is told that is woken, whatever wakes it: one fixed sentence, and never a word of
// what anybody wrote. Imports nothing.
export const WAKE_SENTENCE = 'Something waits in your AXON inbox. Take it with axon_inbox.';
