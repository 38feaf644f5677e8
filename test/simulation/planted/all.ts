/** All faults that are planted to try the simulator. */
import { AROUND } from './around.ts';
import { DELIVER } from './deliver.ts';
import { INCIDENT } from './incident.ts';
import { LEDGER } from './ledger.ts';
import type { Planted } from './planted.ts';
import { RECEIVE } from './receive.ts';
import { SIGNAL } from './signal.ts';

export const PLANTED: readonly Planted[] = [
  ...DELIVER,
  ...LEDGER,
  ...SIGNAL,
  ...INCIDENT,
  ...RECEIVE,
  ...AROUND,
];
