// The highest class that was said of areas, found again for an area, those it lies in and those
// inside it: filled once, then asked often, each time in a few steps however many areas there are.
// What is no domain is not taken in and is found nowhere. Pure.
import type { RiskClass } from '../../preload/contract/dto.ts';
import { higherRisk } from './risk.ts';
import { domainsAbove } from './routing.ts';

export class AreaClasses {
  readonly #said = new Map<string, RiskClass>();
  /** By each area: the highest of what was said of it and of those inside it. */
  readonly #inside = new Map<string, RiskClass>();

  constructor(said: Iterable<readonly [area: string, riskClass: RiskClass]> = []) {
    for (const [area, riskClass] of said) this.add(area, riskClass);
  }

  add(area: string, riskClass: RiskClass): void {
    const [own, ...above] = domainsAbove(area);
    if (own === undefined) return;
    raise(this.#said, own, riskClass);
    for (const wider of [own, ...above]) raise(this.#inside, wider, riskClass);
  }

  /**
   * The highest class of what touches the area: the same one, one it lies in, or one inside it;
   * undefined where nothing does.
   */
  touching(domain: string): RiskClass | undefined {
    return [
      this.#inside.get(domain),
      ...domainsAbove(domain).map((wider) => this.#said.get(wider)),
    ].reduce(highest, undefined);
  }
}

function raise(classes: Map<string, RiskClass>, area: string, riskClass: RiskClass): void {
  classes.set(area, higherRisk(riskClass, classes.get(area) ?? riskClass));
}

function highest(
  first: RiskClass | undefined,
  second: RiskClass | undefined,
): RiskClass | undefined {
  return first === undefined || second === undefined
    ? (first ?? second)
    : higherRisk(first, second);
}
