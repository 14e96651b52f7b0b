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
    was: '      away: context.away(row.toAgent),',
    is: '      away: null,',
    tests: ['test/unit/core/story.test.ts', 'test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: 'what came back from its agent is with it',
    file: 'main/core/story.ts',
    was: '  if (!isThere && isQueued && agent',
    is: '  if (!isThere && isQueued && row.handedAt === null && agent',
    tests: ['test/unit/services/tasks/story-ended.test.ts'],
  },
  {
    name: 'nobody had begun where no answer came',
    file: 'main/core/story.ts',
    was: "    if (endedBy === 'hub') return 'unsaid';",
    is: "    if (endedBy !== null) return 'nothing_begun';",
    tests: ['test/unit/cli/cancel-words.test.ts'],
  },
  {
    name: 'what another hub cut off was not done',
    file: 'main/services/outgoing/incoming-results.ts',
    was: "    return { state, ended: { by, kind: 'possibly_executed' } };",
    is: "    return { state, ended: { by, kind: 'cancelled' } };",
    tests: ['test/unit/services/tasks/story-ended.test.ts'],
  },
  {
    name: 'a cancel that was refused was asked',
    file: 'main/services/outgoing/tasks.ts',
    was: '    if (!ack.ok || !ack.value.accepted) {',
    is: '    if (!ack.ok) {',
    tests: ['test/unit/services/tasks/story-stopped.test.ts'],
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
    was: "  if (row.stopObeyed === true) return 'obeyed';",
    is: "  if (row.stopObeyed === true) return 'too_late';",
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
    was: '      if (end === null)\n        return isBegun(told) ? story.stop.stillRuns(agent) : story.stop.stillHas(agent);',
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
  {
    name: 'the person who asked is nobody',
    file: 'main/core/story.ts',
    was: '        person: askedPerson ?? context.personAt(party),',
    is: '        person: null,',
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: 'the agent that asked is nobody',
    file: 'main/core/story.ts',
    was: '        agent: named(party, fromAgent),',
    is: '        agent: null,',
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: 'the agent there that is asked is nobody',
    file: 'main/core/story.ts',
    was: 'person: context.personAt(party), agent: named(party, toAgent) }',
    is: 'person: context.personAt(party), agent: null }',
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: 'why it is held is lost',
    file: 'main/core/story.ts',
    was: '{ why: heldWhy, until: heldUntil }',
    is: '{ why: null, until: heldUntil }',
    tests: ['test/unit/services/tasks/story-decided.test.ts'],
  },
  {
    name: 'what is held is asked about now',
    file: 'main/core/story.ts',
    was: "const held = state === 'held' ?",
    is: "const held = row.party === '' ?",
    tests: ['test/unit/services/tasks/story-decided.test.ts'],
  },
  {
    name: 'what an adult decides waits for the people here',
    file: 'main/core/story.ts',
    was: 'const adults = isThere ? null : context.adults;',
    is: 'const adults = null;',
    tests: ['test/unit/services/tasks/story-elsewhere.test.ts'],
  },
  {
    name: 'nobody had to be asked, and it is not said',
    file: 'main/core/story.ts',
    was: `    case 'passed':
      return { outcome, at };
    case 'expired':`,
    is: `    case 'passed':
      return { outcome: 'none' };
    case 'expired':`,
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: 'nobody there decided, and it reads as nobody here',
    file: 'main/core/story.ts',
    was: '      return expired(read, at, placeOf(row.verdictHub, context));',
    is: '      return expired(read, at, context.here);',
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: 'the digest of what was shown is lost',
    file: 'main/core/story.ts',
    was: 'digest: !isThere && isRun ? approval.digest : null,',
    is: 'digest: null,',
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: 'what an agent only has it works on',
    file: 'main/core/story.ts',
    was: "begun: row.state === 'running' || end !== null,",
    is: 'begun: true,',
    tests: ['test/unit/services/tasks/story-decided.test.ts'],
  },
  {
    name: 'an agent had it, and no agent had it',
    file: 'main/core/story.ts',
    was: `    row.handedAt !== null ||
`,
    is: '',
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: 'what may have been done was with no agent',
    file: 'main/core/story.ts',
    was: "const isUnsure = row.endedBy === null || row.endedKind === 'possibly_executed';",
    is: 'const isUnsure = row.endedBy === null;',
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: 'what was partly done was done',
    file: 'main/core/story.ts',
    was: `    case 'partial':
      return { kind, by: 'agent',`,
    is: `    case 'partial':
      return { kind: 'completed', by: 'agent',`,
    tests: ['test/unit/services/tasks/story-ended.test.ts'],
  },
  {
    name: "a hub's sentence about a stop is the person's",
    file: 'main/core/story.ts',
    was: '{ kind, by, ...ending(row), words: null }',
    is: '{ kind, by, ...ending(row), words: wordsIn(read) }',
    tests: ['test/unit/services/tasks/story-stopped.test.ts'],
  },
  {
    name: 'whoever was refused on the spot has no answer yet',
    file: 'main/core/story.ts',
    was: "row.verdictSurface === 'rule' && row.waitsFor === null)",
    is: 'row.verdictSurface === null)',
    tests: ['test/unit/services/tasks/story-decided.test.ts'],
  },
  {
    name: "when the asker's hub had the answer is lost",
    file: 'main/core/story.ts',
    was: '  return { at: row.toldAt };',
    is: '  return { at: null };',
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: 'whoever asked for the stop is a person here',
    file: 'main/core/story.ts',
    was: "  return { who: 'asker', party: askedOf(read).by };",
    is: "  return { who: 'person', person: null, place: context.here };",
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: 'what no agent had is unsaid',
    file: 'main/core/story.ts',
    was: "=== 'stopped') return hadBegun ? 'obeyed' : 'nothing_begun'",
    is: "=== 'stopped') return hadBegun ? 'obeyed' : 'unsaid'",
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: "what a hub writes for an agent without words is the agent's",
    file: 'main/core/story-row.ts',
    was: ' && !isNobodys(said)',
    is: '',
    tests: ['test/unit/services/tasks/story-stopped.test.ts'],
  },
  {
    name: "this hub's own sentence is somebody's words",
    file: 'main/core/story-row.ts',
    was: ' && said !== row.reason',
    is: '',
    tests: ['test/unit/services/tasks/story-ended.test.ts'],
  },
  {
    name: 'why a person declined is lost',
    file: 'main/core/story-row.ts',
    was: 'reason: isPersons ? own : null };',
    is: 'reason: null };',
    tests: ['test/unit/services/tasks/story-decided.test.ts'],
  },
  {
    name: 'a choice that was made there is an answer',
    file: 'main/core/story-row.ts',
    was: "typeof choice === 'string' ? 'chosen' : 'answered'",
    is: "typeof choice === 'string' ? 'answered' : 'answered'",
    tests: ['test/unit/services/tasks/story-decided.test.ts'],
  },
  {
    name: 'an adult of before decided as an owner',
    file: 'main/core/story-before.ts',
    was: "return { by: 'person', person, place, surface: null, as: 'adult' };",
    is: "return { by: 'person', person, place, surface: null, as: 'owner' };",
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: 'nobody decided before, and it reads as declined',
    file: 'main/core/story-before.ts',
    was: '      return expired(read, at, context.here);',
    is: "      return { ...declined(read, { by: 'hub', place: context.here }), at };",
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: 'what ran out of time before failed',
    file: 'main/core/story-before.ts',
    was: `      if (row.code === 'timeout') return { kind: 'timed_out', by: 'clock', ...ending(row) };
`,
    is: '',
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: 'what was only delivered before was done',
    file: 'main/core/story-before.ts',
    was: "      if (row.direction === 'outgoing' && !row.reportBack)",
    is: "      if (row.direction === 'local' && !row.reportBack)",
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: 'a rule of before was the hub',
    file: 'main/core/story-before.ts',
    was: "    return { by: 'rule', place: context.here, rule };",
    is: "    return { by: 'hub', place: context.here };",
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: 'when the agent read the stop is not written down',
    file: 'main/services/inbox/durable-items.ts',
    was: '{ stopReachedAt: now }',
    is: '{}',
    tests: ['test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: 'that the asker has the answer is not written down',
    file: 'main/services/outgoing/outbox.ts',
    was: '    changeTask(tables, task, { toldAt: clock.wallMs() });',
    is: '    void clock;',
    tests: ['test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: 'the person here who stopped it is not written down',
    file: 'main/services/tasks/hand-offs.ts',
    was: '{ stopPerson: asks.person }',
    is: '{ stopPerson: null }',
    tests: ['test/unit/services/tasks/story-stopped.test.ts'],
  },
  {
    name: 'the person who decided is not written down',
    file: 'main/services/approvals/approvals.ts',
    was: '      verdictBy: person,',
    is: '      verdictBy: null,',
    tests: ['test/unit/services/tasks/story-decided.test.ts'],
  },
  {
    name: 'the hub where it was decided is not written down',
    file: 'main/services/approvals/approvals.ts',
    was: '      verdictHub: hub,',
    is: '      verdictHub: null,',
    tests: ['test/unit/services/tasks/story-elsewhere.test.ts'],
  },
  {
    name: 'on which surface it was decided is not written down',
    file: 'main/services/approvals/approvals.ts',
    was: '      verdictSurface: surface,',
    is: '      verdictSurface: null,',
    tests: ['test/unit/services/tasks/story-decided.test.ts'],
  },
  {
    name: 'that an adult decided is not written down',
    file: 'main/services/approvals/approvals.ts',
    was: '      verdictAs: as,',
    is: "      verdictAs: 'owner',",
    tests: ['test/unit/services/tasks/story-elsewhere.test.ts'],
  },
  {
    name: 'which rule decided is not written down',
    file: 'main/services/admission/admission.ts',
    was: '    verdictRule: rule?.id ?? null,',
    is: '    verdictRule: null,',
    tests: ['test/unit/services/tasks/story-decided.test.ts'],
  },
  {
    name: 'that nobody had to be asked is not written down',
    file: 'main/services/admission/query-service.ts',
    was: "      verdict: 'passed',",
    is: "      verdict: 'allowed',",
    tests: ['test/unit/services/tasks/story-ended.test.ts'],
  },
  {
    name: 'when an agent got a question is not written down',
    file: 'main/services/inbox/open-queries.ts',
    was: '    ...(handedAt === null ? {} : { handedAt, handedTimes: item?.attempt ?? 1 }),',
    is: '',
    tests: ['test/unit/services/tasks/story-ended.test.ts'],
  },
  {
    name: 'the tokens of a task are not written down',
    file: 'main/services/tasks/task-endings.ts',
    was: '    tokens: tokens ?? null,',
    is: '    tokens: null,',
    tests: ['test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: 'that it was cancelled before anybody decided is not written down',
    file: 'main/services/tasks/task-endings.ts',
    was: "          ? 'withdrawn'",
    is: '          ? null',
    tests: ['test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: 'the person there who decided is not kept',
    file: 'main/services/tasks/wire-states.ts',
    was: '    verdictBy: person,',
    is: '    verdictBy: null,',
    tests: ['test/unit/services/tasks/story-decided.test.ts'],
  },
  {
    name: 'a rule there was a person there',
    file: 'main/services/tasks/wire-states.ts',
    was: "const SURFACES = { person: 'peer', rule: 'rule',",
    is: "const SURFACES = { person: 'peer', rule: 'peer',",
    tests: ['test/unit/services/tasks/story-decided.test.ts'],
  },
  {
    name: 'the person who declined by a stop is not told',
    file: 'main/services/tasks/wire-states.ts',
    was: '(named ?? task.verdictBy)',
    is: 'named',
    tests: ['test/unit/services/tasks/story-stopped.test.ts'],
  },
  {
    name: 'what an agent never came back to stopped',
    file: 'main/services/outgoing/incoming-results.ts',
    was: `    if (by === 'hub') return { state, ended: { by, kind: 'cancelled' } };
`,
    is: '',
    tests: ['test/unit/services/tasks/story-stopped.test.ts'],
  },
  {
    name: 'a hub that had taken it did not take it',
    file: 'main/services/outgoing/incoming-results.ts',
    was: "  return ended.kind === 'hub_refused' ? { by: 'hub', kind: 'failed' } : ended;",
    is: '  return ended;',
    tests: ['test/unit/services/tasks/story-ended.test.ts'],
  },
  {
    name: 'only an adult could decide, and it reads as nobody here',
    file: 'main/core/story-row.ts',
    was: "for: row.waitsFor ?? 'person'",
    is: "for: 'person'",
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: 'an agent that has said nothing still runs',
    file: 'preload/contract/strings/story.ts',
    was: "  return handed.state === 'handed' && handed.begun && handed.on_to === null;",
    is: "  return handed.state !== 'no';",
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: 'whoever took it back is owed an answer',
    file: 'main/core/story.ts',
    was: '  if (isTakenBack && row.stopParty === row.party && row.handedAt === null) return null;\n',
    is: '',
    tests: ['test/unit/core/story.test.ts'],
  },
  {
    name: 'what a hub refuses itself was declined',
    file: 'main/services/outgoing/delegation-replies.ts',
    was: "  return code === 'rejected' && isJsonObject(untrusted) && untrusted.ended_by === 'hub';",
    is: '  return false;',
    tests: ['test/unit/services/tasks/story-ended.test.ts'],
  },
  {
    name: 'whom a question was answered by is lost',
    file: 'main/services/outgoing/outgoing-queries.ts',
    was: "      endedBy: by === null ? 'agent' : 'person',",
    is: "      endedBy: 'agent',",
    tests: ['test/unit/services/tasks/stories.test.ts'],
  },
  {
    name: 'where nobody decided about a question is lost',
    file: 'main/services/outgoing/outgoing-queries.ts',
    was: '  const undecided = verdict === null ? { verdictHub: party } : {};',
    is: '  const undecided = {};',
    tests: ['test/unit/services/tasks/story-decided.test.ts'],
  },
  {
    name: 'for whom it is decided here is lost',
    file: 'main/services/tasks/stories.ts',
    was: '    const hub = isHeldHere ? this.#place(task.party) : this.#here();',
    is: '    const hub = this.#here();',
    tests: ['test/unit/services/tasks/story-elsewhere.test.ts'],
  },
  {
    name: 'an agent that is away is not looked for',
    file: 'main/services/tasks/stories.ts',
    was: '      away: awaySince,',
    is: '      away: () => null,',
    tests: ['test/unit/services/tasks/story-decided.test.ts'],
  },
  {
    name: 'what a person here asked nobody asked',
    file: 'main/services/tasks/stories.ts',
    was: '          ? task.party === OWNER_PARTY',
    is: "          ? task.party === ''",
    tests: ['test/unit/services/tasks/story-elsewhere.test.ts'],
  },
  {
    name: 'what is asked later there is asked now',
    file: 'preload/contract/strings/story.ts',
    was: '    return held === null ? story.waits.personAt(hubs) : story.waits.held.there(hubs);',
    is: '    return story.waits.personAt(hubs);',
    tests: ['test/unit/services/tasks/story-decided.test.ts'],
  },
  {
    name: 'what did not finish was finished',
    file: 'preload/contract/strings/story.ts',
    was: '  return isFinished ? story.stop.tooLate : story.stop.tooLateEnded;',
    is: '  return story.stop.tooLate;',
    tests: ['test/unit/services/tasks/story-stopped.test.ts'],
  },
  {
    name: 'what was asked to stop can be stopped again',
    file: 'preload/contract/strings/story.ts',
    was: '  return isLet && end === null && stop === null && asked.for.here;',
    is: '  return isLet && end === null && asked.for.here;',
    tests: ['test/unit/services/tasks/story-stopped.test.ts'],
  },
  {
    name: 'what is over can be cancelled',
    file: 'preload/contract/strings/story.ts',
    was: '  return !isTurnedAway && end === null && stop === null;',
    is: '  return !isTurnedAway && stop === null;',
    tests: ['test/unit/services/tasks/story-ended.test.ts'],
  },
  {
    name: 'where a person decided is lost',
    file: 'preload/contract/strings/story.ts',
    was: '  return surface === null ? null : common.surfaces[surface];',
    is: '  return null;',
    tests: ['test/unit/services/tasks/story-decided.test.ts'],
  },
  {
    name: "an adult's hub says that no agent got it",
    file: 'preload/contract/strings/story.ts',
    was: `      if (isOfNoAgent(asked)) return null;
`,
    is: '',
    tests: ['test/unit/services/tasks/story-elsewhere.test.ts'],
  },
  {
    name: 'the terminal does not say how it stands since',
    file: 'main/cli/story-lines.ts',
    was: `    sinceOf(story),
`,
    is: '',
    tests: ['test/unit/services/tasks/story-decided.test.ts'],
  },
  {
    name: 'the terminal does not say whether the asker knows',
    file: 'main/cli/story-lines.ts',
    was: `    sentences([toldOf(story, localTime)]),
`,
    is: '',
    tests: ['test/unit/services/tasks/story-ended.test.ts'],
  },
  {
    name: 'the card does not say that the agent got what was shown',
    file: 'renderer/features/approvals/sentences.ts',
    was: `    shownOf(story),
`,
    is: '',
    tests: ['test/unit/renderer/sentences.test.ts'],
  },
  {
    name: 'what nobody decided looks declined',
    file: 'renderer/features/approvals/sentences.ts',
    was: "  expired: 'late',",
    is: "  expired: 'back',",
    tests: ['test/unit/renderer/sentences.test.ts'],
  },
  {
    name: 'what nobody decided counts as declined',
    file: 'renderer/features/approvals/activity.ts',
    was: `    case 'declined':
    case 'expired':
      return outcome;`,
    is: `    case 'declined':
    case 'expired':
      return 'declined';`,
    tests: ['test/unit/renderer/activity.test.ts'],
  },
  {
    name: "what a rule allowed counts as a person's",
    file: 'renderer/features/approvals/activity.ts',
    was: "      return isByRule(story) ? 'unasked' : 'allowed';",
    is: "      return 'allowed';",
    tests: ['test/unit/renderer/activity.test.ts'],
  },
  {
    name: 'an export does not say who decided',
    file: 'main/services/history/conversation-export.ts',
    was: "  return story === null ? '' : decisionOf(story);",
    is: "  return '';",
    tests: ['test/unit/services/history/conversation-export.test.ts'],
  },
  {
    name: 'an agent that cancels reads how it stands, not what came of it',
    file: 'main/mcp/tools.ts',
    was: 'encloseTask(task, cancelledOf)',
    is: 'encloseTask(task, wholeOf)',
    tests: ['test/unit/cli/cancel-words.test.ts'],
  },
];
