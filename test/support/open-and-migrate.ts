/** Opens a ledger as a version with one more migration would, given as a statement; tests kill it while the statement runs. */
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { FIRST_VERSION, MIGRATIONS } from '../../src/ledger/shared/schema.ts';
import { systemClock } from '../../src/time/clock.ts';
import { OPTIONS } from './store-under-test.ts';

const [url = '', statement = ''] = process.argv.slice(2);
const statements = [`ALTER TABLE callbacks ADD COLUMN colour TEXT NOT NULL DEFAULT 'none'`, statement];
const migrations = [...MIGRATIONS, { statements, oldest: FIRST_VERSION }];
await openLedger(url, { ...OPTIONS, clock: systemClock, owner: 'killed', isInProcess: true, migrations });
