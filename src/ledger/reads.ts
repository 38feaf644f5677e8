/** All that is read beside whoever writes, by name. */
import { actionReads } from './actions/operations.ts';
import { archiveReads } from './archive/reads.ts';

export const reads = { ...archiveReads, ...actionReads };
