/** Every operation, by the name that a database calls it by; imported by whoever runs them (on SQLite, a thread of its own). */
import { operations } from './operations/registry.ts';
import { reads } from './reads.ts';
import { releaseOrphans } from './release-orphans.ts';
import { postgresBytes, sqliteBytes } from './store-bytes.ts';

export const registry = { ...operations, ...reads, releaseOrphans, postgresBytes, sqliteBytes };

export type LedgerOperations = typeof registry;
