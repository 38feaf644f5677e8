/** A reverse proxy as a process of its own, which ends when it is told to. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { until } from './proof-wait.ts';

export interface ProxyProcess {
  /** What it has printed so far, to stdout and stderr. */
  printed(): string;
  stop(): Promise<void>;
}

/** Starts it and waits until something listens at `port`. @throws {Error} it has ended, with what it said */
export async function startProxyProcess(
  [command = '', ...args]: readonly string[],
  port: number,
  variables: Readonly<Record<string, string>> = {},
): Promise<ProxyProcess> {
  const child = spawn(command, args, {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await until(`${command} listens`, () => {
    if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}: ${printed}`);
    return isListening(port);
  });
  return { printed: () => printed, stop: () => end(child) };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
