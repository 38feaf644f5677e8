/** Which tables a copy of a ledger has, in which order, and how each is read a slice at a time. */
import type { Tables } from '../tables.ts';

export interface CopiedTable {
  readonly name: keyof Tables;
  /** What its rows are read by, in the order of an index. */
  readonly key: readonly string[];
  /** The column that may be large: so much of it is read that a slice fits into memory. */
  readonly large?: string;
  /** Its ids are the database's to give. */
  readonly isNumbered?: boolean;
}

const NUMBERED = { key: ['id'], isNumbered: true };

/** Complete by the type checker. `processes` is not copied: whoever ran on the one ledger does not run on the other. */
const HOW: Readonly<Record<Exclude<keyof Tables, 'processes'>, Omit<CopiedTable, 'name'>>> = {
  // What others refer to comes before them.
  callbacks: { ...NUMBERED, large: 'body' },
  deliveries: { ...NUMBERED, large: 'receipt' },
  history: { ...NUMBERED, large: 'entry' },
  actions: NUMBERED,
  bulks: NUMBERED,
  refused: { ...NUMBERED, large: 'body' },
  bot_days: { key: ['bot_id', 'day'] },
  attempt_days: { key: ['day', 'outcome'] },
  destinations: { key: ['destination'] },
  paces: { key: ['destination'] },
  alert_causes: { key: ['cause'] },
  channel_types: { key: ['name'] },
  loaded_configs: NUMBERED,
  sweeps: { key: ['sweep'] },
};

export const COPIED_TABLES: readonly CopiedTable[] = Object.entries(HOW).map(([name, how]) => ({
  name: name as CopiedTable['name'],
  ...how,
}));

/** What a Botbell that has only been started leaves: a ledger that holds nothing else counts as empty. */
export const WRITTEN_BY_A_START: readonly (keyof Tables)[] = [
  'processes',
  'channel_types',
  'loaded_configs',
  'sweeps',
];
