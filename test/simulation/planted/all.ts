/** All faults that are planted to try the simulator: each shows that a sentence of the model is judged. */
import { DELIVER } from './deliver.ts';
import { LEDGER } from './ledger.ts';
import type { Planted } from './planted.ts';
import { SIGNAL } from './signal.ts';

export const PLANTED: readonly Planted[] = [...DELIVER, ...LEDGER, ...SIGNAL];
