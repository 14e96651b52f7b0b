// The fields that parameters of operations are made of: each bounded, so that nothing that crosses
// a door is larger than what is meant.
import * as v from 'valibot';
import { RISK_CLASSES } from './closed-lists.ts';
import { AGENT_NAME, DOMAIN_NAME } from './formats.ts';
import { AGENT_NAME_MAX } from './limits.ts';

export const text = (max: number) => v.pipe(v.string(), v.maxLength(max));
export const shortText = v.pipe(v.string(), v.minLength(1), v.maxLength(256));
export const whole = (min: number, max: number) =>
  v.pipe(v.number(), v.safeInteger(), v.minValue(min), v.maxValue(max));
export const uuid = v.pipe(v.string(), v.uuid());
export const identifier = v.pipe(v.string(), v.minLength(1), v.maxLength(128));
export const agentName = v.pipe(
  v.string(),
  v.regex(AGENT_NAME, 'an agent name is lower-case letters, digits, ".", "_" and "-"'),
  v.maxLength(AGENT_NAME_MAX),
);
export const domain = v.pipe(
  v.string(),
  v.regex(DOMAIN_NAME, 'a domain is up to six dot-separated lower-case words'),
  v.maxLength(64),
);
export const riskClass = v.picklist(RISK_CLASSES);
export const words = v.pipe(v.array(shortText), v.maxLength(64));
export const jsonObject = v.record(v.string(), v.unknown());
/** One option of an escalation. How much it may hold the wire says, in words of its own. */
export const choiceOption = v.strictObject({
  id: v.optional(shortText),
  label: text(2_000),
  pros: v.optional(v.pipe(v.array(text(2_000)), v.maxLength(64))),
  cons: v.optional(v.pipe(v.array(text(2_000)), v.maxLength(64))),
});
export const limit = v.optional(whole(1, 200), 50);
export const cursor = v.optional(text(64));
/** A moment by the wall clock, ms since 1970. */
export const timestamp = whole(0, 8_640_000_000_000_000);
