/** Describes the machine, as far as it affects the figures. */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { arch, availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { discard, folderOnDisk } from './scratch.ts';
import { median } from './statistics.ts';

const FLUSHES = 50;

/** As large as a page of a write-ahead log. */
const PAGE = Buffer.alloc(4096);

export function describeMachine(): string {
  const memory = `${Math.round(totalmem() / 1024 ** 3)} GiB`;
  const cores = `${availableParallelism()} cores`;
  return [
    `${cpus()[0]?.model.trim() ?? arch()}, ${cores}, ${memory}`,
    `${type()} ${release()}`,
    `Node ${process.version}`,
    `one flush to disk ${flushMs().toFixed(2)} ms`,
    new Date().toISOString().slice(0, 10),
  ].join('; ');
}

/** Median time of writing and flushing one page: a flushed commit takes at least as long. */
function flushMs(): number {
  const folder = folderOnDisk();
  const file = openSync(join(folder, 'page'), 'w');
  const times = Array.from({ length: FLUSHES }, () => {
    const startedAt = performance.now();
    writeSync(file, PAGE);
    fdatasyncSync(file);
    return performance.now() - startedAt;
  });
  closeSync(file);
  discard(folder);
  return median(times);
}
