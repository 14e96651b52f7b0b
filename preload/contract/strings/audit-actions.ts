// The words for each kind of row in the audit log: one sentence for every action that the hub
// writes down. English.

/**
 * @param who "You", a hub's or an agent's name @param what the hub, agent or request it was about,
 * or a word for it
 */
type Sentence = (who: string, what: string) => string;

/** By the action; one this list does not know is shown by its name. */
export const auditActions: Readonly<Record<string, Sentence>> = {
  'agent.elsewhere_added': (who, what) => `${who} made the A2A agent ${what} an agent here.`,
  'agent.elsewhere_confirmed': (who, what) => `${who} confirmed the changed card of ${what}.`,
  'agent.area_added': (who, what) => `${who} added an area to ${what}.`,
  'agent.area_removed': (who, what) => `${who} removed an area of ${what}.`,
  'agent.class_set': (who, what) => `${who} set how risky ${what} is.`,
  'agent.created': (who, what) => `${who} connected ${what}.`,
  'agent.file_confirmed': (who, what) => `${who} confirmed the file that ${what} runs from.`,
  'agent.file_removed': (who, what) => `${who} ended running ${what} from its file.`,
  'agent.removed': (who, what) => `${who} removed ${what}.`,
  'agent.renamed': (who, what) => `${who} renamed ${what}.`,
  'agent.runner_ended': (who, what) => `${who} no longer lets this hub start ${what}.`,
  'agent.runner_set': (who, what) => `${who} lets this hub start ${what} by itself.`,
  'agent.webhook_removed': (who, what) => `${who} removed the webhook of ${what}.`,
  'agent.webhook_set': (who, what) => `${who} set the webhook that wakes ${what}.`,
  'agent.updated': (who, what) => `${who} changed what ${what} says about itself.`,
  'approval.allowed': (who, what) => `${who} allowed ${what}.`,
  'approval.answered': (who, what) => `${who} answered ${what} in person.`,
  'approval.cancelled': (who, what) => `${who} cancelled ${what} while it waited.`,
  'approval.declined': (who, what) => `${who} declined ${what}.`,
  'approval.digest_mismatch': (who, what) =>
    `${who} stopped ${what}: it was not what had been shown.`,
  'approval.expired': (_who, what) => `Nobody decided ${what} in time.`,
  'approval.held': (who, what) => `${who} put off ${what}.`,
  'approval.kept_open': (who, what) => `${who} kept ${what} open longer.`,
  'approval.shown': (who, what) => `${who} brought ${what} back.`,
  'attention.paused': (who) => `${who} paused everything.`,
  'attention.quiet_hours': (who) => `${who} changed the quiet hours.`,
  'attention.stopped': (who) => `${who} stopped everything.`,
  'attention.resumed': (who) => `${who} ended the pause.`,
  'audit.acknowledged': (who, what) =>
    `${who} acknowledged that the audit log does not fit from ${what} on.`,
  'audit.checked': (who) => `${who} had the audit log checked.`,
  'audit.exported': (who) => `${who} exported the audit log.`,
  'audit.tampered': (who, what) => `${who} found that the audit log does not fit from ${what} on.`,
  'cancel.accepted': (who) => `${who} asked to cancel a task.`,
  'cancel.refused': (who) => `${who} tried to cancel a task that isn’t open here.`,
  'remote_approval.answered': (who, what) => `${who} decided about ${what}, as an adult’s hub.`,
  'remote_approval.asked': (who, what) => `${who} asked an adult’s hub about ${what}.`,
  'remote_approval.off': (who) => `${who} let the people here decide everything again.`,
  'remote_approval.refused': (who, what) =>
    `${who} sent a decision about ${what} that was not used.`,
  'remote_approval.set': (who) => `${who} set which adults’ hubs decide, and about what.`,
  'delegation.sent': (who) => `${who} sent a task to another hub.`,
  'delivery.refused': (who) =>
    `${who} kept something from an agent: what was stored was not what had been allowed.`,
  'hub.ended_unexpectedly': (who, what) =>
    `${who} had ended unexpectedly before this start: ${what}.`,
  'hub.restore_confirmed': (who) =>
    `${who} confirmed that this hub was restored from an older copy.`,
  'message.conflict': (who) =>
    `${who} sent two different messages under one number; the second was refused.`,
  'notify.refused': (who) => `${who} sent a notice that was refused.`,
  'passphrase.refused': () => 'Somebody gave a wrong owner passphrase.',
  'passphrase.set': (who) => `${who} set the owner passphrase.`,
  'peer.changed': (who, what) => `${who} changed the details of ${what}.`,
  'peer.decides_no_more': (_who, what) =>
    `${what} no longer decides here, because it is no longer an adult’s hub.`,
  'peer.downgraded': (who) => `${who} spoke an older protocol than before.`,
  'conversation.removed': (who) => `${who} removed what was said in a conversation.`,
  'peer.forged_sender': (who) => `${who} sent a message in another’s name; it was refused.`,
  'peer.key_kept': (who, what) => `${who} kept the known key of ${what} and rejected another one.`,
  'peer.malformed': (who) => `${who} sent something that no hub sends; it was refused.`,
  'peer.muted': (who, what) => `${who} muted ${what}.`,
  'peer.paired': (who, what) => `${who} added ${what}.`,
  'peer.pairing_refused': (who) => `${who} backed out of being added.`,
  'peer.resumed': (who, what) => `${who} let ${what} back in.`,
  'peer.revoked': (who, what) => `${who} removed ${what}.`,
  'peer.second_hello': (who) => `${who} introduced itself twice on one connection.`,
  'peer.suspended': (who, what) => `${who} suspended ${what}.`,
  'peer.trusted_by_key': (who, what) => `${who} added ${what} by its key, without digits.`,
  'peer.unmuted': (who, what) => `${who} ended the muting of ${what}.`,
  'peer.wrong_key': (_who, what) => `Something answered in the place of ${what} with another key.`,
  'records.removed': (who, what) => `${who} removed the words of old requests${what}.`,
  'registration.confirmed': (who, what) => `${who} confirmed ${what}.`,
  'registration.declined': (who) => `${who} declined a program that asked to be connected.`,
  'registration.requested': () => 'A program on this computer asked to be connected.',
  'request.asked': (who) => `${who} asked for something that waited for a decision.`,
  'request.held': (who) => `${who} asked for something that was held until later.`,
  'request.passed': (who) =>
    `${who} asked for something that one of your rules or settings allowed.`,
  'request.declined': (who) => `${who} asked for something that one of your rules declined.`,
  'request.stopped': (who) => `${who} asked for a request to be stopped.`,
  'result.malformed': (who) => `${who} sent a result that no hub sends; it was refused.`,
  'result.refused': (who) => `${who} sent a result that nobody was waiting for; it was refused.`,
  'rule.ended': () => 'A rule ended.',
  'rule.kept': () => 'A “never” about a removed agent stays for the new agent of that name.',
  'rule.made': (who) => `${who} made a rule.`,
  'rule.paused': (who) => `${who} paused a rule.`,
  'rule.removed': (who) => `${who} removed a rule.`,
  'rule.restored': (who) => `${who} brought back a rule.`,
  'rule.resumed': (who) => `${who} resumed a rule.`,
  'settings.changed': (who) => `${who} changed the settings.`,
  'settings.date_confirmed': (who) =>
    `${who} confirmed the date, so that old words are removed again.`,
  'token.revoked': (who, what) => `${who} ended a token of ${what}.`,
};
