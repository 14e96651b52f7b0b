// Single faults in the code that fills, reads and renders the story of a request: a fact that is
// dropped or inverted in one place. Each names the tests that must notice it.

export interface Fault {
  /** What would be untrue, in a few words. */
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly was: string;
  readonly is: string;
  /** Test files, of the project `node`. */
  readonly tests: readonly string[];
}

/** @throws Error where the text that the fault changes is not there, or more than once */
export function faultyText(whole: string, { was, is }: Pick<Fault, 'was' | 'is'>): string {
  const parts = whole.split(was);
  if (parts.length !== 2) throw new Error(`"${was}" stands there ${parts.length - 1} times`);
  return parts.join(is);
}

export const FAULTS: readonly Fault[] = [
  {
    name: 'what a person stops elsewhere reads as declined',
    file: 'main/services/tasks/wire-states.ts',
    was: "return code === 'rejected' && decision?.stopped !== undefined;",
    is: 'return false;',
    tests: ['test/unit/services/attention/stop-everything.test.ts'],
  },
  {
    name: 'nobody decided, and it reads as declined',
    file: 'preload/contract/strings/story.ts',
    was: '      return story.expired;',
    is: '      return story.declined;',
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: 'a rule reads as the hub',
    file: 'main/core/story.ts',
    was: "    return { by: 'rule', place, rule };",
    is: "    return { by: 'hub', place };",
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: "another hub's person decided here",
    file: 'main/core/story.ts',
    was: '  return party === null ? context.here : context.place(party);',
    is: '  return context.here;',
    tests: ['test/unit/core/story.test.ts', 'test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: 'an adult decided as an owner',
    file: 'main/core/story.ts',
    was: "    as: row.verdictAs ?? 'owner',",
    is: "    as: 'owner',",
    tests: ['test/unit/core/story.test.ts', 'test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: 'who decided is nobody',
    file: 'main/core/story.ts',
    was: '    person: nameOf(row.verdictBy),',
    is: '    person: null,',
    tests: ['test/unit/core/story.test.ts', 'test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: 'what was shown ran, though no agent had it under that digest',
    file: 'preload/contract/strings/story.ts',
    was: "return wasShown && handed.state === 'handed' && handed.digest !== null",
    is: 'return wasShown',
    tests: ['test/unit/core/story.test.ts', 'test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: 'how often it was handed over is lost',
    file: 'main/core/story.ts',
    was: '      times: row.handedTimes,',
    is: '      times: null,',
    tests: ['test/unit/core/story.test.ts', 'test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: 'an agent that is away is there',
    file: 'main/core/story.ts',
    was: "    return { state: 'waits', agent, away: isThere ? null : context.away(row.toAgent) };",
    is: "    return { state: 'waits', agent, away: null };",
    tests: ['test/unit/core/story.test.ts', 'test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: "an agent's failure is the hub's",
    file: 'main/core/story.ts',
    was: `      if (by === 'agent') return { kind, by, ...agentsWords(read), ...failureIn(read) };
      if (by === 'hub')`,
    is: '      if (by !== null)',
    tests: ['test/unit/core/story.test.ts', 'test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: 'a failure without words of the agent',
    file: 'main/core/story-row.ts',
    was: '  const said = (isDone ? [outcome, summary] : [error, outcome]).find(',
    is: '  const said = (isDone ? [outcome, summary] : [outcome]).find(',
    tests: ['test/unit/core/story.test.ts', 'test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: 'what may be asked again may not',
    file: 'main/core/story-row.ts',
    was: "  return { code, retryable: typeof said === 'boolean' ? said : usual };",
    is: '  return { code, retryable: false };',
    tests: ['test/unit/core/story.test.ts', 'test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: 'a stop that was obeyed came too late',
    file: 'main/core/story.ts',
    was: "  if (row.stopObeyed !== null) return row.stopObeyed ? 'obeyed' : 'too_late';",
    is: "  if (row.stopObeyed !== null) return 'too_late';",
    tests: [
      'test/unit/core/story.test.ts',
      'test/unit/services/tasks/stories.test.ts',
      'test/unit/services/attention/stop-everything.test.ts',
    ],
  },
  {
    name: 'what had begun had not',
    file: 'main/core/story.ts',
    was: "  if (endedKind === 'cancelled') return hadBegun ? 'asked' : 'nothing_begun';",
    is: "  if (endedKind === 'cancelled') return 'nothing_begun';",
    tests: ['test/unit/core/story.test.ts', 'test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: 'a cancel that is not taken is on its way',
    file: 'main/core/story.ts',
    was: "  if (cancelAnswer === 'not_taken') return 'not_taken';",
    is: '',
    tests: ['test/unit/core/story.test.ts', 'test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: 'the person who stopped it elsewhere is here',
    file: 'main/core/story.ts',
    was: "    return { who: 'person', person: nameOf(row.stopPerson), place: context.place(row.party) };",
    is: "    return { who: 'person', person: nameOf(row.stopPerson), place: context.here };",
    tests: [
      'test/unit/core/story.test.ts',
      'test/unit/services/tasks/stories.test.ts',
      'test/unit/services/attention/stop-everything.test.ts',
    ],
  },
  {
    name: 'asking to stop is stopping',
    file: 'preload/contract/strings/story.ts',
    was: '      if (end === null) return story.stop.stillRuns(agent);',
    is: '      if (end === null) return story.stop.stopped;',
    tests: ['test/unit/core/story.test.ts', 'test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: 'what was taken back was declined',
    file: 'preload/contract/strings/story.ts',
    was: "      return asked.kind === 'decision' ? story.withdrawnHere : story.withdrawn;",
    is: '      return story.declined;',
    tests: ['test/unit/core/story.test.ts', 'test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: 'the agent that stopped is not written down',
    file: 'main/services/tasks/task-endings.ts',
    was: "    ...(isStopAnswered ? { stopObeyed: ended.kind === 'stopped' } : {}),",
    is: '',
    tests: [
      'test/unit/services/tasks/stories.test.ts',
      'test/unit/services/attention/stop-everything.test.ts',
    ],
  },
  {
    name: 'whose end it is is not written down',
    file: 'main/services/tasks/task-endings.ts',
    was: '    endedBy: ended.by,',
    is: '    endedBy: null,',
    tests: [
      'test/unit/services/tasks/stories.test.ts',
      'test/unit/services/attention/stop-everything.test.ts',
    ],
  },
  {
    name: 'when it was handed over is not written down',
    file: 'main/services/inbox/durable-items.ts',
    was: '      const handed = { handedAt: task.handedAt ?? now, handedTimes: item.attempt };',
    is: '      const handed = {};',
    tests: ['test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: 'who stopped it is not told',
    file: 'main/services/tasks/wire-states.ts',
    was: `    ...(stopped === undefined ? {} : { stopped }),
  };
}

/**
 * The \`decision\` member`,
    is: `  };
}

/**
 * The \`decision\` member`,
    tests: ['test/unit/services/attention/stop-everything.test.ts'],
  },
  {
    name: 'the rule of a household is told to an agent',
    file: 'main/services/tasks/stories.ts',
    was: '      rule: (id) => (agent === null ? this.#rule(id) : null),',
    is: '      rule: (id) => this.#rule(id),',
    tests: ['test/unit/services/tasks/stories.test.ts'],
  },
];
