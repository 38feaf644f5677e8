/**
 * Mistakes that a person could make, each planted alone in a copy of the tree to see whether the simulator finds it. If the text that one
 * replaces has changed, plant it anew by what it does.
 */
import { FAULTS } from './faults.ts';

export type Planted = (typeof PLANTED)[number];

export const PLANTED = Object.entries(FAULTS).flatMap(([file, faults]) =>
  Object.entries(faults).map(([does, change]) => {
    const [, before = '', was = '', is = '', after = ''] = /^(.*)«(.*) → (.*)»(.*)$/s.exec(change) ?? [];
    return { does, file, from: before + was + after, to: before + is + after };
  }),
);
