// Keeps what failed for the summary at the end of a run, where a log that is cut short still shows
// it.
import { appendFileSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

const MAX_MESSAGE_CHARACTERS = 400;

function firstLines(message: string): string {
  return message.replaceAll(/\s+/gu, ' ').slice(0, MAX_MESSAGE_CHARACTERS);
}

/**
 * Appends one line for each failed test, failed file and error outside of any test to the file that
 * AXON_TEST_FAILURES names.
 */
export default class FailuresReporter implements Reporter {
  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (modules, unhandledErrors) => {
    const list = process.env['AXON_TEST_FAILURES'];
    if (list === undefined) return;
    const say = (where: string, errors: readonly { readonly message: string }[]): void => {
      appendFileSync(
        list,
        `${where}: ${errors.map(({ message }) => firstLines(message)).join(' | ')}\n`,
      );
    };
    for (const module of modules) {
      if (module.errors().length > 0) say(module.relativeModuleId, module.errors());
      for (const suite of module.children.allSuites()) {
        if (suite.errors().length > 0)
          say(`${module.relativeModuleId} > ${suite.fullName}`, suite.errors());
      }
      for (const test of module.children.allTests('failed')) {
        say(
          `${module.relativeModuleId} > ${test.fullName} (${Math.round(test.diagnostic()?.duration ?? 0)} ms)`,
          test.result().errors ?? [],
        );
      }
    }
    if (unhandledErrors.length > 0) say('outside of any test', unhandledErrors);
  };
}
