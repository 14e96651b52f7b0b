// What an adult's hub answered, weighed inside the commit that takes it: whether it is about the request as it is now and from a hub that decides,
// and then given to the decision itself. On record either way; whoever answered in vain is told (PROTOCOL.md, Consent).
import { escapeName, escapeText } from '../../core/text-escape.ts';
import type { Random } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { TaskRow, Tables } from '../../ports/store.ts';
import type { KeyHex } from '../../ports/transport.ts';
import { CONSENT_TOPIC, type ConsentAnswer, type UnusedBecause } from '../../protocol/consent.ts';
import type { PeerMessenger } from '../peer-messenger.ts';
import { adultOf } from './consent-answers.ts';
import type { Approvals } from './approvals.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { ConsentGuard } from './consent-guard.ts';
import { questionOfTask } from './consent-question.ts';
import { CONSENT_REASON_MAX_CHARACTERS } from './limits.ts';
import type { OpenConsent } from './open-consents.ts';
import type { After } from './unit-of-work.ts';

interface Deps {
  readonly random: Random;
  readonly log: Log;
  readonly messenger: PeerMessenger;
  readonly guard: ConsentGuard;
  readonly approvals: Pick<Approvals, 'decideFromAfar'>;
  readonly audit: AuditTrail;
}

interface Verdict {
  /** The person and the hub, as the record names them. */
  readonly who: string;
  /** Why it was not used; null: it decided. */
  readonly problem: UnusedBecause | null;
}

export class ConsentVerdicts {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @param task the question @param by who answered, by the word of that hub */
  take(tables: Tables, after: After, task: TaskRow, { approvalId, hub }: OpenConsent, answer: ConsentAnswer, by: string): Verdict {
    const { guard, approvals, audit } = this.#deps;
    const asked = questionOfTask(task);
    const row = tables.approval(approvalId);
    const peer = tables.peer(hub);
    const person = answer.namesNobody ? null : escapeName(by).name;
    const who = adultOf(
      person,
      peer?.petname ?? hub,
      typeof peer?.advertisedName === 'string' ? escapeName(peer.advertisedName).name : null,
    );
    const isBound = asked !== undefined && asked.digest === answer.digest;
    const mayDecide = guard.decides(tables, hub) && row !== undefined && guard.covers(tables, row.riskClass);
    const { choice, digest } = answer;
    const reason = answer.reason === null ? null : escapeText(answer.reason.slice(0, CONSENT_REASON_MAX_CHARACTERS));
    const problem = !isBound
      ? 'changed'
      : !mayDecide
        ? 'not_named'
        : approvals.decideFromAfar(tables, after, approvalId, { choice, digest, reason, hub, who });
    audit.append(tables, {
      actor: hub,
      surface: 'peer',
      action: problem === null ? 'consent.answered' : 'consent.refused',
      object: approvalId,
      digest,
      detail: { question: task.id, choice, ...(problem === null ? {} : { why: problem }) },
    });
    if (problem !== null) after(() => void this.#tellUnused(hub, task, row?.state ?? 'cancelled', problem));
    return { who, problem };
  }

  /** If that can be now; their hub keeps it on record. */
  async #tellUnused(hub: KeyHex, task: TaskRow, state: string, why: UnusedBecause): Promise<void> {
    const { messenger, random, log } = this.#deps;
    const payload = { topic: CONSENT_TOPIC, data: { used: false, state, why }, importance: 'low' };
    const sent = await messenger.send(hub, { id: random.uuid(), kind: 'notify', ref: task.messageId, payload });
    if (!sent.ok) log.debug('an unused answer was not told of', { code: sent.error.code });
  }
}
